import { z } from 'zod';
import type { ProfileHandler, ProfileResults, SchedulingResult } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import { SchedulingError } from '../scheduling.error.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';
import { concludeWith } from './conclude.ts';

const headerProfileParams = z
  .strictObject({
    headerName: z.string().trim().min(1).default('EPP-Profile').describe('Header that names the profile.'),
    defaultProfile: z.string().trim().min(1).default('decode').describe('Profile of a request without it.'),
    unknownProfileStatus: z
      .literal([400, 429])
      .default(400)
      .describe('Status for a name that no profile has; 429 is what upstream answers.'),
  })
  .prefault({});

type HeaderProfileParams = z.output<typeof headerProfileParams>;

/** The profile that a header names: how the coordinator asks for a phase. Where there is one profile only, it is that one. */
@SchedulingPlugin({ type: 'header-profile-handler', parameters: headerProfileParams })
export class HeaderProfileHandler implements ProfileHandler {
  private readonly header: string;

  constructor(private readonly params: HeaderProfileParams) {
    this.header = params.headerName.toLowerCase();
  }

  /** @throws SchedulingError for a name that no profile has: by default with BadRequest, as it is a mistake of whoever called */
  next(request: SchedulingRequest, profiles: readonly string[], results: ProfileResults): readonly string[] {
    if (results.size > 0) return [];
    if (profiles.length === 1) return profiles;
    const given = request.headers.get(this.header)?.trim() ?? '';
    const wanted = given === '' ? this.params.defaultProfile : given;
    if (profiles.includes(wanted)) return [wanted];
    const code = this.params.unknownProfileStatus === 400 ? 'BadRequest' : 'ResourceExhausted';
    throw new SchedulingError(code, this.unknown(given));
  }

  conclude(_request: SchedulingRequest, results: ProfileResults, errors: readonly Error[]): SchedulingResult {
    const [primary = ''] = results.keys();
    return concludeWith(primary, results, errors, `failed to run scheduler profile '${primary}'`);
  }

  /** A value that is no name of ours may be anything, so that only its beginning is said. */
  private unknown(given: string): string {
    return given === ''
      ? `missing "${this.header}" header, and no scheduling profile is called "${this.params.defaultProfile}"`
      : `no scheduling profile configured for "${this.header}" header value "${given.slice(0, 64)}"`;
  }
}
