import { describe, expect, it } from '@jest/globals';
import { PluginFailure } from './plugin-failure.ts';

/** What `JSON.parse` throws, which quotes the text. */
function quoting(): unknown {
  try {
    return JSON.parse('secret prompt');
  } catch (error) {
    return error;
  }
}

describe('PluginFailure', () => {
  it('names the plugin, the kind of error and the place', () => {
    const { message, fields } = new PluginFailure('queue', quoting());
    expect(message).toBe('plugin queue failed');
    expect(fields).toMatchObject({ plugin: 'queue', kind: 'SyntaxError' });
    expect(fields.at.length).toBeGreaterThan(0);
  });

  it('says nothing of what the error quotes', () => {
    const failure = new PluginFailure('queue', quoting());
    expect(JSON.stringify([failure.message, failure.fields])).not.toContain('secret');
  });

  it.each([undefined, 'secret', 7])('takes anything that can be thrown, such as %p', (thrown) => {
    expect(new PluginFailure('queue', thrown).fields).toEqual({ plugin: 'queue', kind: typeof thrown, at: [] });
  });
});
