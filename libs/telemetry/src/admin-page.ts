import { createHash } from 'node:crypto';
import { PAGE_FIGURES } from './admin-page.figures.ts';
import { pageMarkup } from './admin-page.markup.ts';
import { PAGE_QUEUES } from './admin-page.queues.ts';
import { PAGE_SCRIPT } from './admin-page.script.ts';
import { PAGE_STYLE } from './admin-page.style.ts';
import { PAGE_TIMELINE } from './admin-page.timeline.ts';

const script = `'use strict';\n{${PAGE_TIMELINE}${PAGE_FIGURES}${PAGE_QUEUES}${PAGE_SCRIPT}}`;

/** The admin page: one document that needs nothing else, and holds no data until it has asked for some. */
export const ADMIN_PAGE = {
  html: pageMarkup({ style: PAGE_STYLE, script }),
  /** Only its own script and style run, it talks to its own listener alone, and its script can make no markup of text. */
  policy: [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(PAGE_STYLE)}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
} as const;

/** What a policy calls an inline element by. */
function hashOf(content: string): string {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`;
}
