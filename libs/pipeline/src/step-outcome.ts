import type { Rope } from '#json';
import type { ByteStream } from '#protocol';
import type { StepFindings } from './pipeline-request.ts';

/** An answer for the client, its body whole or still arriving. Headers are as the upstream sent them, names in lower case. */
export interface ClientResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: ByteStream | Rope;
}

/** How a step ended: the pipeline goes on with what it found, or the client is answered and no later step runs. */
export type StepOutcome =
  | { readonly kind: 'next'; readonly findings: StepFindings | undefined }
  | { readonly kind: 'respond'; readonly response: ClientResponse };

const NOTHING_FOUND: StepOutcome = { kind: 'next', findings: undefined };

/** Carry on with the next step. */
export function next(findings?: StepFindings): StepOutcome {
  return findings === undefined ? NOTHING_FOUND : { kind: 'next', findings };
}

/** Answer the client; the pipeline ends here. */
export function respond(response: ClientResponse): StepOutcome {
  return { kind: 'respond', response };
}
