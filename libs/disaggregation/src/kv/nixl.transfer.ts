import { Logger } from '@nestjs/common';
import { JsonObject, joinRope } from '#json';
import type { JsonValue, Rope } from '#json';
import type { ClientResponse } from '#pipeline';
import { singleToken } from '../api-type.ts';
import { cachedTokensOf } from '../decode/cached-tokens.edit.ts';
import { withCachedTokens } from '../decode/cached-tokens.ts';
import type { LocalDecode } from '../decode/local-decode.ts';
import type { TransferRequest } from '../disagg-request.ts';
import type { Leg, StageClient } from '../stage.client.ts';
import { KvTransfer } from './kv-transfer.ts';
import { NixlPrefill } from './nixl-prefill.ts';
import type { RetrySettings } from './nixl-prefill.ts';
import { NixlReadTerms } from './nixl-read.terms.ts';
import type { NixlExchange, NixlTerms } from './nixl.terms.ts';
import type { PrefixPull } from './prefix-pull.ts';

/** What the nixlv2 connector works with. */
export interface NixlParts {
  readonly stages: StageClient;
  readonly decode: LocalDecode;
  readonly pull: PrefixPull;
}

export interface NixlSettings extends RetrySettings {
  /** `--enable-p2p-pull`: whether prefill may take a cached prefix from another pod. */
  readonly pulls: boolean;
}

/** Prefill, wait for it, decode with what it said of its blocks (`sidecar.md` 4.2, 4.3). */
export class NixlTransfer extends KvTransfer {
  readonly name = 'nixlv2';
  override readonly canPull: boolean;
  private readonly logger = new Logger(this.name);
  private readonly prefill: NixlPrefill;

  constructor(
    private readonly parts: NixlParts,
    settings: NixlSettings,
    private readonly terms: NixlTerms = new NixlReadTerms(),
  ) {
    super();
    this.canPull = settings.pulls;
    this.prefill = new NixlPrefill(parts.stages, settings);
  }

  async run(request: TransferRequest): Promise<ClientResponse> {
    const exchange = await this.terms.exchange(request);
    const prefilled = await this.prefill.run(request, this.prefillLeg(request, exchange));
    if ('refusal' in prefilled) return prefilled.refusal;
    const { answer } = prefilled;
    const { params, headers } = exchange.decode(this.given(request, answer.get('kv_transfer_params')));
    const cachedTokens = cachedTokensOf(answer);
    request.watch.note({ cachedTokens });
    const decoded = await this.parts.decode.decode(request, request.json.set('kv_transfer_params', params), headers);
    return withCachedTokens(decoded, request.path, cachedTokens);
  }

  private prefillLeg(request: TransferRequest, { prefill }: NixlExchange): Leg {
    const body = singleToken(request.json, request.apiType);
    return {
      stage: 'prefill',
      base: this.parts.stages.baseOf('prefill', request.prefiller),
      body: body.set('kv_transfer_params', withPull(prefill.params, request, this.parts.pull)).toRope(),
      headers: prefill.headers,
    };
  }

  /** What is no object tells decode nothing, and might make an engine refuse the request. */
  private given({ scope, watch }: TransferRequest, params: JsonValue | undefined): Rope | undefined {
    if (params?.kind === 'object') return [params.bytes];
    const reason = params === undefined || params.isNull ? 'no_kv_params' : 'kv_params_not_object';
    watch.note({ reason });
    this.logger.log(
      { 'x-request-id': scope.id, reason },
      'prefill gave no kv_transfer_params; decode computes the prompt',
    );
    return undefined;
  }
}

/** The parameters of prefill, with where its cached prefix is to be taken from (`sidecar.md` 4.8 B). */
export function withPull(params: Rope, { source }: TransferRequest, pull: PrefixPull): Rope {
  if (source === undefined) return params;
  return JsonObject.of(joinRope(params)).setAll(pull.block(source)).toRope();
}
