import type { Plugin } from '../plugin.ts';

/** A plugin under its name. */
export interface MadePlugin {
  readonly name: string;
  readonly type: string;
  readonly plugin: Plugin;
}
