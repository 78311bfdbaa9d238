import type { IncomingMessage } from 'node:http';
import { valuesOf } from '#protocol';

/** The headers with the peer at the end of `x-forwarded-for`. @param headers flat, lower-case */
export function withForwardedFor(headers: readonly string[], request: IncomingMessage): string[] {
  const known = valuesOf(headers, 'x-forwarded-for');
  const others: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    if (headers[index] !== 'x-forwarded-for') others.push(headers[index] ?? '', headers[index + 1] ?? '');
  }
  const peer = request.socket.remoteAddress;
  const chain = peer === undefined ? known : [...known, peer];
  return chain.length === 0 ? others : [...others, 'x-forwarded-for', chain.join(', ')];
}
