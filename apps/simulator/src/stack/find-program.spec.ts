import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { findProgram } from './find-program.ts';

describe('findProgram', () => {
  const folder = mkdtempSync(join(tmpdir(), 'program-'));
  const other = join(folder, 'other');
  mkdirSync(other);
  writeFileSync(join(folder, 'envoy'), '', { mode: 0o755 });
  writeFileSync(join(other, 'envoy'), '', { mode: 0o644 });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it.each([
    { what: 'the first one that can be run', path: [other, folder].join(delimiter), found: join(folder, 'envoy') },
    { what: 'none that cannot be run', path: other, found: undefined },
    { what: 'none on an empty PATH', path: '', found: undefined },
  ])('finds $what', ({ path, found }) => {
    expect(findProgram('envoy', path)).toBe(found);
  });
});
