import { z } from 'zod';
import type { PreRequest, SchedulingResult } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';
import { writeStageHeaders } from './stage-headers.ts';

const disaggHeadersParams = z
  .strictObject({
    prefillProfile: z.string().min(1).default('prefill'),
    encodeProfile: z.string().min(1).default('encode'),
  })
  .prefault({});

type DisaggHeadersParams = z.output<typeof disaggHeadersParams>;

/** The headers of `disagg-profile-handler` by themselves, which old configurations list beside the handler. */
@SchedulingPlugin({
  type: 'disagg-headers-handler',
  formerly: ['prefill-header-handler'],
  deprecatedBy: 'disagg-profile-handler',
  parameters: disaggHeadersParams,
})
export class DisaggHeadersHandler implements PreRequest {
  readonly stage = 'headers';

  constructor(private readonly params: DisaggHeadersParams) {}

  before({ headers }: SchedulingRequest, result: SchedulingResult): void {
    const { prefillProfile: prefill, encodeProfile: encode } = this.params;
    writeStageHeaders(headers, result, { prefill, encode });
  }
}
