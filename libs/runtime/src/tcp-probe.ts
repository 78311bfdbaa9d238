import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Milliseconds that a connection may take. */
const LIMIT = 2_000;

/**
 * Whether something answers at the URL's host and port: a TCP connection, with a TLS handshake where the address is https.
 * Whose certificate it is does not matter here; calls check it.
 * @returns undefined when it answers, else a short reason such as `ECONNREFUSED`
 */
export function probe(url: string): Promise<string | undefined> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isTls = protocol === 'https:';
  // the name of a server is never an address (RFC 6066)
  const named = isIP(host) === 0 ? { servername: host } : {};
  const target = { host, port: Number(port === '' ? (isTls ? 443 : 80) : port) };
  return new Promise((resolve) => {
    const socket = isTls ? connectTls({ ...target, ...named, rejectUnauthorized: false }) : connectTcp(target);
    const finish = (reason: string | undefined): void => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(LIMIT, () => {
      finish('timeout');
    });
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      finish(undefined);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      finish(error.code ?? 'error');
    });
  });
}
