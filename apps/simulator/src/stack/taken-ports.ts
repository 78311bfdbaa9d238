import { once } from 'node:events';
import { createServer } from 'node:net';

/** The parts whose port somebody else listens on, or whose port does not exist. */
export async function takenPorts(host: string, ports: ReadonlyMap<string, number>): Promise<string[]> {
  const taken: string[] = [];
  const seen = new Set<number>();
  for (const [part, port] of ports) {
    if (seen.has(port) || !(await isFree(host, port))) taken.push(part);
    seen.add(port);
  }
  return taken;
}

async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
