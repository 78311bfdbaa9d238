import { randomBytes } from 'node:crypto';

const TRACEPARENT = /^00-([0-9a-f]{32})-[0-9a-f]{16}-([0-9a-f]{2})$/;

/**
 * `traceparent` as a gateway that traces sends it on: a span of its own, in the client's trace where the client has one. Envoy's is made
 * the same way (`envoy-trace.ts`).
 */
export function ownTraceparent(sent: string | undefined): string {
  const [, trace = randomBytes(16).toString('hex'), flags = '01'] = TRACEPARENT.exec(sent ?? '') ?? [];
  return `00-${trace}-${randomBytes(8).toString('hex')}-${flags}`;
}
