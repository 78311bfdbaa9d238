import { z } from 'zod';
import type { Decider } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';

const NONE = z.strictObject({}).prefault({});

@SchedulingPlugin({ type: 'always-disagg-pd-decider', parameters: NONE })
export class AlwaysDecider implements Decider {
  disaggregate(): boolean {
    return true;
  }
}

/** For requests with media. */
@SchedulingPlugin({ type: 'always-disagg-multimodal-decider', parameters: NONE })
export class MultimodalDecider implements Decider {
  disaggregate({ parsed }: SchedulingRequest): boolean {
    return parsed.hasMedia;
  }
}
