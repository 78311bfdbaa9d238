import { UpstreamTimeoutError } from '#foundation';
import { rawJson } from '#json';
import type { UpstreamReply } from '#gateway';
import type { ClientResponse } from '#pipeline';
import { singleToken } from '../api-type.ts';
import type { TransferRequest } from '../disagg-request.ts';
import type { Leg, WholeAnswer } from '../stage.client.ts';
import { CalledOffError, isGood } from '../stage-failure.ts';
import { KvTransfer } from './kv-transfer.ts';
import type { LegTerms } from './nixl.terms.ts';
import { withPull } from './nixl.transfer.ts';
import type { NixlParts } from './nixl.transfer.ts';
import type { NixlWriteTerms } from './nixl-write.terms.ts';
import { checkPrefill } from './prefill-check.ts';

const ONE = rawJson('1');
/** At the top whatever the API is, beside those that the API has. */
const LIMITS = { max_tokens: ONE, max_completion_tokens: ONE, max_output_tokens: ONE, min_tokens: ONE };

export interface ParallelSettings {
  readonly pulls: boolean;
  /** Milliseconds that an answer of decode waits for prefill to end. */
  readonly decodeWaitTimeout: number;
}

/** Prefill and decode start together, and nothing of decode's answer goes out before prefill has ended well (`sidecar.md` 4.4). */
export class NixlParallelTransfer extends KvTransfer {
  readonly name = 'nixlv2';
  override readonly canPull: boolean;

  constructor(
    private readonly parts: NixlParts,
    private readonly settings: ParallelSettings,
    private readonly terms: NixlWriteTerms,
  ) {
    super();
    this.canPull = settings.pulls;
  }

  async run(request: TransferRequest): Promise<ClientResponse> {
    request.watch.note({ isConcurrent: true });
    const terms = await this.terms.parallel(request);
    const together = new AbortController();
    const signal = AbortSignal.any([request.scope.signal, together.signal]);
    const decoding = this.decode(request, terms.decode, signal);
    // its failure is told when prefill has ended, which may be never
    decoding.catch(() => undefined);
    try {
      const prefilled = await this.inTime((limit) =>
        this.prefill(request, terms.prefill, AbortSignal.any([signal, limit])),
      );
      if (isGood(prefilled.status)) return await decoding;
      together.abort(new CalledOffError());
      return { status: prefilled.status, headers: prefilled.headers, body: [prefilled.bytes] };
    } catch (error) {
      together.abort(new CalledOffError());
      throw error;
    }
  }

  private prefill(request: TransferRequest, terms: LegTerms, signal: AbortSignal): Promise<WholeAnswer> {
    const { stages, pull } = this.parts;
    const params = withPull(terms.params, request, pull);
    const body = singleToken(request.json, request.apiType).setAll({ ...LIMITS, kv_transfer_params: params });
    const leg: Leg = {
      stage: 'prefill',
      base: stages.baseOf('prefill', request.prefiller),
      body: body.toRope(),
      headers: terms.headers,
      signal,
    };
    return stages.whole(request, leg, checkPrefill);
  }

  private decode(request: TransferRequest, terms: LegTerms, signal: AbortSignal): Promise<UpstreamReply> {
    const body = request.json.set('kv_transfer_params', terms.params);
    return this.parts.decode.stream(request, body, terms.headers, signal);
  }

  /** @throws UpstreamTimeoutError, the prefill given up */
  private async inTime(prefill: (limit: AbortSignal) => Promise<WholeAnswer>): Promise<WholeAnswer> {
    const limit = new AbortController();
    const timer = setTimeout(() => {
      limit.abort(new UpstreamTimeoutError('prefill', '--moriio-parallel-decode-wait-timeout'));
    }, this.settings.decodeWaitTimeout);
    try {
      return await prefill(limit.signal);
    } finally {
      clearTimeout(timer);
    }
  }
}
