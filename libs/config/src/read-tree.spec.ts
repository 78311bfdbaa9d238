import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigError } from './config-error.ts';
import { readTree } from './read-tree.ts';

function failure(read: () => unknown): ConfigError {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('readTree', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'config-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const read = (text: string) => readTree({ file: 'c.yaml', text });

  it('reads a file, with a byte order mark or without', () => {
    const file = join(folder, 'bom.yaml');
    writeFileSync(file, '\uFEFFserver:\n  metrics_port: 8192.0 # MiB\n');
    expect(readTree({ file })).toEqual({ name: file, values: { server: { metrics_port: 8192 } } });
  });

  it.each([undefined, ''])('is an empty map when there is nothing (%j)', (text) => {
    expect(readTree({ text })).toEqual({ name: undefined, values: {} });
  });

  it.each(['# nothing\n', '---\n', '~'])('is an empty map for %j', (text) => {
    expect(read(text).values).toEqual({});
  });

  it('follows anchors and merge keys', () => {
    const text = 'base: &base {timeout: 1s}\na:\n  <<: *base\n  x: 1\nb: *base\n';
    expect(read(text).values).toEqual({ base: { timeout: '1s' }, a: { timeout: '1s', x: 1 }, b: { timeout: '1s' } });
  });

  it('takes __proto__ for a key like any other', () => {
    const { values } = read('__proto__: {polluted: true}\n');
    expect(Object.keys(values)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(values)).toBe(Object.prototype);
  });

  it('names a file that is missing', () => {
    const file = join(folder, 'none.yaml');
    expect(failure(() => readTree({ file })).message).toBe(`reading config: ${file}: no such file`);
  });

  it('says what cannot be read about a folder and about bytes that are no text', () => {
    const binary = join(folder, 'binary.yaml');
    writeFileSync(binary, Buffer.from([0x61, 0xff, 0xfe]));
    expect(failure(() => readTree({ file: folder })).message).toMatch(/: is a directory, not a file$/);
    expect(failure(() => readTree({ file: binary })).message).toMatch(/: is not UTF-8 text$/);
  });

  it.each([
    ['a: 1\nserver: {}\na: 2\n', 'line 3, column 1', 'the key a is there a second time; keep one of them'],
    ['a: b: c\n', 'line 1, column 4', 'Nested mappings are not allowed in compact mappings'],
    ['\ta: 1\n', 'line 1, column 1', 'tabs cannot indent; use spaces'],
    ['a: 1\n---\nb: 2\n', 'line 2, column 1', 'holds a second document; remove "---" and what follows'],
    ['a: !env X\n', 'line 1, column 4', 'tags are not known here; a text that begins with "!" needs quotes'],
    ['a: !!binary aGk=\n', 'line 1, column 4', 'tags are not known here; a text that begins with "!" needs quotes'],
  ])('points at the trouble in %j', (text, path, message) => {
    const error = failure(() => read(text));
    expect(error.problems).toContainEqual({ path, message });
    expect(error.message).toMatch(/^reading config: c\.yaml is not valid YAML:\n/);
  });

  it.each(['- a\n', 'text\n', '42\n'])('wants a map at the top level, not %j', (text) => {
    expect(failure(() => read(text)).message).toMatch(
      /^reading config: c\.yaml holds (a list|a single value) at its top level; expected a map/,
    );
  });

  it.each([
    ['password: !hunter22\n'],
    ['password: *hunter22\n'],
    ['password: |hunter22\n'],
    ['password: "hunter22\n'],
    ['password: "\\qhunter22"\n'],
    ['password: hunter22: x\n'],
    ['password: @hunter22\n'],
    ['password: %hunter22\n'],
    ['password: [hunter22\n'],
  ])('does not show the line of the file: %j', (text) => {
    expect(failure(() => read(text)).message).not.toContain('hunter22');
  });

  it.each([`a: ${'['.repeat(20_000)}`, '- '.repeat(20_000)])('refuses bottomless nesting', (text) => {
    expect(failure(() => read(text)).message).toMatch(/nested too deeply$/);
  });

  const laughs = Array.from({ length: 12 }, (_, level) => {
    const items = Array.from({ length: 9 }, () => (level === 0 ? 'ha' : `*l${level - 1}`));
    return `l${level}: &l${level} [${items.join(', ')}]\n`;
  }).join('');

  it.each([
    ['a billion laughs', laughs, 'its aliases expand too far'],
    ['an alias of what it stands in', 'a: &x {b: *x}\n', 'its aliases expand too far'],
    ['an alias without anchor', 'a: *x\n', 'an alias has no anchor; a text that begins with "*" needs quotes'],
  ])('refuses %s', (_, text, why) => {
    expect(failure(() => read(text)).message).toBe(`reading config: c.yaml is not valid YAML: ${why}`);
  });
});
