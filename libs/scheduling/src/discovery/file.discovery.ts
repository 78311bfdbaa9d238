import { Logger } from '@nestjs/common';
import { z } from 'zod';
import type { EndpointStore } from '../endpoint.store.ts';
import type { Discovery, PluginContext } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import { readEndpointsFile } from './endpoints-file.ts';
import { fileSignature, watchFile } from './file-watch.ts';

const fileDiscoveryParams = z.strictObject({
  path: z
    .string("file-discovery: 'path' parameter is required")
    .min(1, "file-discovery: 'path' parameter is required")
    .describe('File with the list of endpoints, YAML or JSON.'),
  watchFile: z.boolean().default(false).describe('Read the file again whenever it changes.'),
});

type FileDiscoveryParams = z.output<typeof fileDiscoveryParams>;

/** Milliseconds between two looks at the file. */
const LOOK_EVERY = 500;

/**
 * Takes endpoints from a file. At first all of it has to be right; what is read again later may have bad entries, which are left out, and
 * a file that cannot be used at all changes nothing (`epp.md` 7.2).
 */
@SchedulingPlugin({ type: 'file-discovery', parameters: fileDiscoveryParams })
export class FileDiscovery implements Discovery {
  private readonly logger = new Logger('discovery');
  private readonly closing = new AbortController();
  private watching: Promise<void> | undefined;

  /** @param lookEvery milliseconds between two looks at a file that is watched */
  constructor(
    private readonly params: FileDiscoveryParams,
    _context: PluginContext,
    private readonly lookEvery = LOOK_EVERY,
  ) {}

  /** @throws Error when the file cannot be read, or an entry is bad */
  async start(endpoints: EndpointStore): Promise<void> {
    const { path } = this.params;
    // before it is read: what changes in between is read once more
    const seen = await fileSignature(path);
    const file = await readEndpointsFile(path);
    if (file.problems.length > 0) throw new Error(`${path} has bad entries: ${file.problems.join('; ')}`);
    endpoints.replace(file.endpoints);
    if (!this.params.watchFile) return;
    const watch = { interval: this.lookEvery, seen, signal: this.closing.signal };
    this.watching = watchFile(path, watch, () => this.reload(endpoints));
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.watching;
  }

  private async reload(endpoints: EndpointStore): Promise<void> {
    const { path } = this.params;
    try {
      const file = await readEndpointsFile(path);
      if (this.closing.signal.aborted) return;
      for (const problem of file.problems) this.logger.warn({ path, problem }, 'an endpoint of the file is left out');
      endpoints.replace(file.endpoints);
      this.logger.log({ path, endpoints: file.endpoints.length }, 'endpoints were read again');
    } catch (error) {
      this.logger.error({ err: error, path }, 'the file of endpoints cannot be used, so they stay as they are');
    }
  }
}
