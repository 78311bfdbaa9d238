import { describe, expect, it } from '@jest/globals';
import { redact, safeMessage, show } from './secrets.ts';

describe('redact', () => {
  it.each(['token', 'api_token', 'clientSecret', 'PASSWORD', 'Authorization', 'proxy-authorization'])(
    'hides what stands under %s',
    (key) => {
      expect(redact({ a: { [key]: 'hunter22' } })).toEqual({ a: { [key]: '[REDACTED]' } });
    },
  );

  it('hides a number, a list and a map under such a key', () => {
    expect(redact({ password: 12345, tokens: ['a'], secrets: { a: 'b' } })).toEqual({
      password: '[REDACTED]',
      tokens: '[REDACTED]',
      secrets: '[REDACTED]',
    });
  });

  it('shows switches and numbers of model tokens', () => {
    const tree = { send_tokens_field: true, max_total_tokens: 4096, password: '' };
    expect(redact(tree)).toEqual(tree);
  });

  it.each([
    ['http://user:pass@host/path', 'http://[REDACTED]@host/path'],
    ['redis://:p@ss/w@host:1', 'redis://[REDACTED]@host:1'],
    ['a@b', 'a@b'],
    ['http://host/path', 'http://host/path'],
  ])('cuts credentials out of %s', (url, shown) => {
    expect(redact({ list: [url] })).toEqual({ list: [shown] });
  });

  it('leaves its input alone', () => {
    const tree = { password: 'hunter22' };
    redact(tree);
    expect(tree.password).toBe('hunter22');
  });
});

describe('show', () => {
  it.each([
    [30, '30'],
    ['30', '"30"'],
    ['a\nb', '"a\\nb"'],
    [true, 'true'],
    [null, 'null'],
    [undefined, 'nothing'],
    [[1], 'a list'],
    [{}, 'a map'],
    ['x'.repeat(80), `"${'x'.repeat(80)}"`],
    ['x'.repeat(81), 'a string of 81 characters'],
    ['ftp://u:p@h', '"ftp://[REDACTED]@h"'],
  ])('quotes %j as %s', (value, text) => {
    expect(show(value)).toBe(text);
  });
});

describe('safeMessage', () => {
  it.each<[string, PropertyKey[], unknown]>([
    ['expected a number, got "hunter22"', ['api_token'], 'hunter22'],
    ['hunter22 is taken', ['headers', 'Authorization'], 'hunter22'],
    ['hunter22 is taken', ['secrets', 0, 'value'], 'hunter22'],
    ['step 1 has hunter22', ['steps', 0], { params: { password: 'hunter22' } }],
  ])('takes the secret out of %j', (message, path, value) => {
    const safe = safeMessage(message, path, value);
    expect(safe).toContain('[REDACTED]');
    expect(safe).not.toContain('hunter22');
  });

  it('takes long texts and credentials out of any message', () => {
    const long = 'y'.repeat(100);
    expect(safeMessage(`no such file: ${long}`, ['cert_path'], long)).toBe('no such file: a string of 100 characters');
    expect(safeMessage('cannot use http://u:p@host', ['address'], 'x')).toBe('cannot use http://[REDACTED]@host');
  });

  it('leaves other messages as they are', () => {
    const message = 'unknown step type: rendr';
    expect(safeMessage(message, ['pipeline', 'steps', 0, 'type'], 'rendr')).toBe(message);
  });
});
