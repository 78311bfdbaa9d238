import type { Carrier } from './tcp.relay.ts';
import { TcpRelay } from './tcp.relay.ts';

const everything: Carrier = (client, server) => void client.pipe(server).pipe(client);

/** The network of a pod: what comes to its address goes to a port of 127.0.0.1. @throws Error EADDRINUSE */
export function podRelay(host: string, port: number, target: number): Promise<TcpRelay> {
  return TcpRelay.open({ host, port }, target, everything);
}
