import { UpstreamAnswerError } from '#foundation';
import { firstValue, refusal } from '#gateway';
import type { UpstreamReply } from '#gateway';
import { HEADER, hostPort } from '#protocol';
import type { HostPort } from '#protocol';

const HINT = 'does the endpoint picker have the plugin reserve-endpoint?';

/**
 * The endpoint that an answer to `Prefer: reserve-endpoint` names. 204 alone is one: with any other success a worker may have
 * been sent the request.
 * @throws UpstreamError for 4xx and 5xx, UpstreamAnswerError for a success that names none
 * @see coordinator.md C.8
 */
export function reservedEndpoint(reply: UpstreamReply, step: string): HostPort {
  const { status } = reply;
  if (status >= 400) throw refusal(reply, step);
  if (status !== 204) throw new UpstreamAnswerError(step, `the reservation with ${status} in place of 204: ${HINT}`);
  const value = firstValue(reply, HEADER.reservedEndpoint);
  if (value === undefined) throw noEndpoint(step, `no ${HEADER.reservedEndpoint}`);
  const endpoint = hostPort(value);
  if (endpoint === undefined) throw noEndpoint(step, `a ${HEADER.reservedEndpoint} that is no ip:port`);
  return endpoint;
}

function noEndpoint(step: string, what: string): UpstreamAnswerError {
  return new UpstreamAnswerError(step, `the reservation with ${what}: ${HINT}`);
}
