import { z } from 'zod';
import type { PreRequest } from '../plugin.ts';
import { RESERVED, RESERVE_ENDPOINT, prefers } from '../prefer.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';
import { PIN_SCREENER } from './endpoint-pin.screener.ts';

const NONE = z.strictObject({}).prefault({});

/**
 * Answers `Prefer: reserve-endpoint` with the endpoint that was chosen, in the place of sending the request there (`coordinator.md` C.8). It
 * is a gate, so that nothing is recorded of a request that no worker gets. The request proper comes with a pin, which somebody has to heed.
 */
@SchedulingPlugin({ type: RESERVE_ENDPOINT, parameters: NONE, requires: [PIN_SCREENER] })
export class ReserveEndpointGate implements PreRequest {
  readonly stage = 'gate';

  before(request: SchedulingRequest): void {
    if (prefers(request.headers.get('prefer'), RESERVE_ENDPOINT)) RESERVED.set(request, true);
  }
}
