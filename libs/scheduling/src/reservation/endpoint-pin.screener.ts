import { isIPv6 } from 'node:net';
import { z } from 'zod';
import { HEADER, bracketed, hostPort, isSameEndpoint } from '#protocol';
import type { HostPort } from '#protocol';
import type { Candidate } from '../candidate.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Screener } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import { SchedulingError } from '../scheduling.error.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';

/** Its type, and the name of the one that is made where another plugin needs it. */
export const PIN_SCREENER = 'endpoint-pin-screener';

const NONE = z.strictObject({}).prefault({});

/**
 * Keeps the one endpoint that `x-llm-d-pin-host-port` names. A pin chooses among the candidates and adds none: an address that is not of the
 * pool leaves nobody, and the request goes nowhere else.
 */
@SchedulingPlugin({ type: PIN_SCREENER, parameters: NONE })
export class EndpointPinScreener implements Screener {
  /** @throws SchedulingError with BadRequest for a pin that is no `ip:port` */
  screen({ headers }: SchedulingRequest, candidates: readonly Candidate[]): readonly Candidate[] {
    const given = headers.get(HEADER.pin);
    if (given === undefined) return candidates;
    const wanted = hostPort(given);
    if (wanted === undefined) {
      throw new SchedulingError('BadRequest', `${HEADER.pin} must be ip:port, an IPv6 address in brackets`);
    }
    return candidates.filter(({ endpoint }) => isNamed(endpoint, wanted));
  }
}

/** An IPv6 address has several spellings. */
function isNamed({ address, port }: Endpoint, wanted: HostPort): boolean {
  if (port !== wanted.port) return false;
  if (isIPv6(address) && isIPv6(wanted.host)) return spelled(address) === spelled(wanted.host);
  return isSameEndpoint({ host: address, port }, wanted);
}

function spelled(address: string): string | undefined {
  return URL.parse(`http://${bracketed(address)}/`)?.hostname;
}
