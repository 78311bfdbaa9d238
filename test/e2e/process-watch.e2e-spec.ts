import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { percentile, watched } from './support/process-watch.ts';

describe('looking at a process while something goes on', () => {
  let server: Server;
  beforeAll(async () => {
    server = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.close();
  });

  it('sees the process even when the work is over at once', async () => {
    const { port } = server.address() as AddressInfo; // it listens on a port
    const seen = await watched({ coordinatorUrl: `http://127.0.0.1:${port}`, coordinator: process }, () =>
      Promise.resolve(),
    );
    expect(seen).toMatchObject({ failures: 0 });
    expect(percentile(seen, 0.99)).toBeLessThan(Infinity);
    expect(seen.peakMiB).toBeGreaterThan(0);
  });
});
