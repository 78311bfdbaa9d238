import { z } from 'zod';
import type { Candidate } from '../candidate.ts';
import { labelOf } from '../endpoint.ts';
import type { Filter } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';

const ROLE = 'llm-d.ai/role';
const NONE = z.strictObject({}).prefault({});

/** Candidates by the label that says which phases a pod serves. */
abstract class RoleFilter implements Filter {
  protected abstract readonly roles: ReadonlySet<string>;
  /** Whether a pod without the label is let through. */
  protected readonly takesUnlabelled: boolean = false;

  filter(_request: SchedulingRequest, candidates: readonly Candidate[]): readonly Candidate[] {
    return candidates.filter(({ endpoint }) => {
      const role = labelOf(endpoint, ROLE);
      return role === undefined ? this.takesUnlabelled : this.roles.has(role);
    });
  }
}

@SchedulingPlugin({ type: 'decode-filter', parameters: NONE })
export class DecodeFilter extends RoleFilter {
  protected readonly roles = new Set(['decode', 'prefill-decode', 'both', 'encode-decode', 'encode-prefill-decode']);
  protected override readonly takesUnlabelled = true;
}

@SchedulingPlugin({ type: 'prefill-filter', parameters: NONE })
export class PrefillFilter extends RoleFilter {
  protected readonly roles = new Set(['prefill', 'encode-prefill', 'prefill-decode', 'both', 'encode-prefill-decode']);
}

@SchedulingPlugin({ type: 'encode-filter', parameters: NONE })
export class EncodeFilter extends RoleFilter {
  protected readonly roles = new Set(['encode', 'encode-prefill', 'encode-decode', 'encode-prefill-decode']);
}
