import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { ADMIN_PAGE } from './admin-page.ts';

const { html, policy } = ADMIN_PAGE;
const contents = (tag: string): string[] =>
  [...html.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))].map(([, content]) => content ?? '');
const sourceOf = (content: string): string => `'sha256-${createHash('sha256').update(content).digest('base64')}'`;

describe('ADMIN_PAGE', () => {
  it.each(['script', 'style'])('allows its one %s by hash, and no other', (tag) => {
    const [content = '', ...others] = contents(tag);
    expect(others).toEqual([]);
    expect(policy.split('; ')).toContain(`${tag}-src ${sourceOf(content)}`);
  });

  it('allows nothing inline, nothing evaluated, nothing from elsewhere', () => {
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
  });

  it('refers to nothing outside of its listener, and has no handler in its markup', () => {
    const markup = html.replace(/<(script|style)>[\s\S]*?<\/\1>/g, '');
    expect([...markup.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address)).toEqual([
      'data:,',
      'metrics',
      'admin/config',
      'admin/pipeline',
    ]);
    expect(markup).not.toMatch(/\s(on\w+|style)=/);
  });

  it('puts values in as text only', () => {
    expect(contents('script').join('')).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/);
  });
});
