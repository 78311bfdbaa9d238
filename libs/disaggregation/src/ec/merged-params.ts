import { entriesObject } from '#json';
import type { JsonValue, Rope } from '#json';

/** What the answers of the items say together. */
export interface MergedParams {
  /** `ec_transfer_params`; undefined where no answer had any. */
  readonly params: Rope | undefined;
  /** Answers that had some. */
  readonly contributed: number;
}

/**
 * One flat object of those of all answers, every descriptor as it came; of two for one hash the later item's (`sidecar.md` 5.5).
 * What is absent, no object or empty is passed over.
 */
export function mergedParams(answers: readonly (JsonValue | undefined)[]): MergedParams {
  const byHash = new Map<string, Buffer>();
  let contributed = 0;
  for (const answer of answers) {
    const members = answer?.members() ?? [];
    if (answer === undefined || members.length === 0) continue;
    contributed++;
    for (const member of members) byHash.set(member.key, answer.at(member).bytes);
  }
  return { params: byHash.size === 0 ? undefined : entriesObject(byHash), contributed };
}
