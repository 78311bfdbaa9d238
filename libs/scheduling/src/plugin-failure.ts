/**
 * A plugin threw what it should not have. The message names the plugin alone: what it threw may quote the request, as the errors of
 * `JSON.parse` do.
 */
export class PluginFailure extends Error {
  constructor(
    readonly plugin: string,
    readonly thrown: unknown,
  ) {
    super(`plugin ${plugin} failed`);
    this.name = 'PluginFailure';
  }

  /** For the log: the kind of what was thrown and where, without its message. */
  get fields(): { readonly plugin: string; readonly kind: string; readonly at: readonly string[] } {
    const { thrown } = this;
    if (!(thrown instanceof Error)) return { plugin: this.plugin, kind: typeof thrown, at: [] };
    const frames = (thrown.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
    return {
      plugin: this.plugin,
      kind: thrown.constructor.name,
      at: frames.slice(0, FRAMES).map((frame) => frame.trim()),
    };
  }
}

/** Enough to find the line, whoever called it. */
const FRAMES = 5;
