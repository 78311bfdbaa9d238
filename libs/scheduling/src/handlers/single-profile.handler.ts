import { z } from 'zod';
import type { ProfileHandler, ProfileResults, SchedulingResult } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';
import { concludeWith } from './conclude.ts';

/** The one profile there is. */
@SchedulingPlugin({ type: 'single-profile-handler', parameters: z.strictObject({}).prefault({}) })
export class SingleProfileHandler implements ProfileHandler {
  next(_request: SchedulingRequest, profiles: readonly string[], results: ProfileResults): readonly string[] {
    return results.size === 0 ? profiles.slice(0, 1) : [];
  }

  conclude(_request: SchedulingRequest, results: ProfileResults, errors: readonly Error[]): SchedulingResult {
    const [primary = ''] = results.keys();
    return concludeWith(primary, results, errors, `failed to run scheduler profile '${primary}'`);
  }
}
