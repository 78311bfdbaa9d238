import { Inject, Injectable } from '@nestjs/common';
import { PIPELINE_CONFIG } from '#pipeline';
import type { PipelineConfig, PipelineRequest } from '#pipeline';
import { HEADER, targetFormat } from '#protocol';
import type { RequestFormat } from '#protocol';

/** The deployment's choices of wire format, and what a step's own setting makes of them. */
@Injectable()
export class WireFormatPolicy {
  constructor(@Inject(PIPELINE_CONFIG) private readonly config: PipelineConfig) {}

  /** The format of an encode or prefill call. @param own the step's `use_openai_format` */
  target(client: RequestFormat, own: boolean | undefined): RequestFormat {
    return targetFormat(client, own ?? this.config.use_openai_format);
  }

  /** Whether chat bodies carry render's tokens. */
  get sendsTokens(): boolean {
    return this.config.send_tokens_field;
  }

  /** Whether transfer parameters of generate bodies stand in `sampling_params.extra_args`. */
  get nestsTransferParams(): boolean {
    return this.config.generate_transfer_params === 'extra_args';
  }

  /** Headers of a call beyond the client's own, flat: what earlier answers gave to relay, and the revision id. */
  headers(request: PipelineRequest): string[] {
    const { revisionId } = request.scope;
    const relayed = Object.entries(request.relayedHeaders ?? {}).flat();
    return revisionId === undefined ? relayed : [...relayed, HEADER.revisionDecisionId, revisionId];
  }

  /**
   * The headers to relay after the answers of one phase: for each listed name its most frequent value, the earliest of equals;
   * a phase without the header leaves what there was.
   * @see coordinator.md B.4
   */
  relayed(
    request: PipelineRequest,
    answers: readonly Readonly<Record<string, string | string[] | undefined>>[],
  ): Readonly<Record<string, string>> {
    const relayed: Record<string, string> = { ...request.relayedHeaders };
    for (const name of this.config.forward_response_headers) {
      const values = answers.flatMap((headers) => {
        const value = headers[name];
        const first = Array.isArray(value) ? value.find((candidate) => candidate !== '') : value;
        return first === undefined || first === '' ? [] : [first];
      });
      const winner = mostFrequent(values);
      if (winner !== undefined) relayed[name] = winner;
    }
    return relayed;
  }
}

function mostFrequent(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let winner: string | undefined;
  for (const [value, count] of counts) if (count > (counts.get(winner ?? '') ?? 0)) winner = value;
  return winner;
}
