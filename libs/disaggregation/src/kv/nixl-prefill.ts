import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { BadRequestError, UpstreamConnectionError } from '#foundation';
import type { JsonObject } from '#json';
import type { ClientResponse } from '#pipeline';
import { hostPortText } from '#protocol';
import type { TransferRequest } from '../disagg-request.ts';
import type { Leg, StageClient, WholeAnswer } from '../stage.client.ts';
import { endOf, failureOf, isGood } from '../stage-failure.ts';
import { prefillAnswer } from './prefill-answer.ts';

/** When a prefill is tried again. */
export interface RetrySettings {
  /** Further tries, on the same worker. */
  readonly maxRetries: number;
  /** Milliseconds between two tries. */
  readonly retryBackoff: number;
}

/** What came of a prefill: its answer, or the refusal that the client gets. */
export type Prefilled = { readonly answer: JsonObject } | { readonly refusal: ClientResponse };

/** Worth a further try: the worker is not there, starts, or is behind something that says so. */
const RETRIED: ReadonlySet<number> = new Set([502, 503, 504]);
/** What a worker that cannot be reached counts as. */
const UNREACHABLE = 502;

/** The prefill of the nixlv2 connector: waited for, tried again, and read (`sidecar.md` 4.2). */
export class NixlPrefill {
  private readonly logger = new Logger('nixlv2');

  constructor(
    private readonly stages: StageClient,
    private readonly settings: RetrySettings,
  ) {}

  /** @throws CoordinatorError where there is no answer, or none that decode can go on with */
  async run(request: TransferRequest, leg: Leg): Promise<Prefilled> {
    const watch = request.watch.stage('prefill');
    let status: number | undefined;
    try {
      const whole = await this.tries(request, leg);
      status = whole.status;
      const prefilled = isGood(status) ? { answer: await prefillAnswer(whole.bytes) } : { refusal: relayed(whole) };
      watch.ended(endOf(status));
      return prefilled;
    } catch (error) {
      // whatever the client is told of it, an answer that cannot be read is no fault of its request
      const failure = error instanceof BadRequestError ? 'invalid_answer' : failureOf(error);
      watch.ended({ status, failure });
      throw error;
    }
  }

  private async tries(request: TransferRequest, leg: Leg): Promise<WholeAnswer> {
    const { maxRetries, retryBackoff } = this.settings;
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.once(request, leg);
      const status = outcome instanceof UpstreamConnectionError ? UNREACHABLE : outcome.status;
      if (attempt >= maxRetries || !RETRIED.has(status)) {
        if (outcome instanceof UpstreamConnectionError) throw outcome;
        return outcome;
      }
      request.watch.note({ prefillRetries: attempt + 1 });
      const target = hostPortText(request.prefiller);
      this.logger.log(
        { 'x-request-id': request.scope.id, attempt: attempt + 1, target, status },
        'prefill is tried again',
      );
      await pause(retryBackoff, request.scope.signal);
    }
  }

  private async once(request: TransferRequest, leg: Leg): Promise<WholeAnswer | UpstreamConnectionError> {
    try {
      return await this.stages.read(request, leg);
    } catch (error) {
      if (error instanceof UpstreamConnectionError) return error;
      throw error;
    }
  }
}

function relayed({ status, headers, bytes }: WholeAnswer): ClientResponse {
  return { status, headers, body: [bytes] };
}

/** @throws the reason of the signal */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {
    signal.throwIfAborted();
  });
}
