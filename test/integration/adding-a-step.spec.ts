import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { stepKit } from '../../apps/coordinator/src/step-kit.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const PAGE = read('docs/adding-a-step.md');
const EMBEDDED = [...PAGE.matchAll(/<!-- file: (\S+) -->\n\n```\w+\n([^]*?)```\n/g)].map(
  ([, path = '', code = '']) => ({
    path,
    code,
  }),
);

/** Cells of a table's rows: `Field | Set by | Read by`. */
const rows = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.replace(/^ \* /, ''))
    .filter((line) => /^\| `/.test(line))
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .join(' | ')
        .trim(),
    );

describe('docs/adding-a-step.md', () => {
  it('embeds these files', () => {
    expect(EMBEDDED.map(({ path }) => path)).toEqual([
      'test/fixtures/steps/tenant-limit.steps.mjs',
      'test/fixtures/steps/guard.steps.mjs',
      'test/fixtures/steps/prompt-limit.step.ts',
      'test/integration/prompt-limit.spec.ts',
    ]);
  });

  it.each(EMBEDDED)('has $path as it is', ({ path, code }) => {
    expect(code).toBe(read(path));
  });

  it('has the table of findings as the code has it', () => {
    const inCode = rows(read('libs/pipeline/src/pipeline-request.ts'));
    expect(inCode).not.toEqual([]);
    expect(rows(PAGE)).toEqual(expect.arrayContaining(inCode));
  });

  it('names everything in the kit', () => {
    const table = PAGE.slice(PAGE.indexOf('### The kit'), PAGE.indexOf('## The contract'));
    const named = [...table.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(Object.keys(stepKit).filter((name) => !named.includes(name))).toEqual([]);
  });
});
