import { rawJson } from '#json';
import type { JsonObject } from '#json';
import type { ClientResponse } from '#pipeline';
import { singleToken } from '../api-type.ts';
import type { LocalDecode } from '../decode/local-decode.ts';
import type { TransferRequest } from '../disagg-request.ts';
import { isGood } from '../stage-failure.ts';
import type { StageClient } from '../stage.client.ts';
import { DecodeFirst } from './decode-first.ts';
import { KvTransfer } from './kv-transfer.ts';
import { checkPrefill } from './prefill-check.ts';

const THRESHOLD = 'cache_hit_threshold';
const ZERO = rawJson('0');

/**
 * A store that both workers reach: prefill writes to it, decode reads, and neither is told more (`sidecar.md` 4.5). A client that
 * sends `cache_hit_threshold` wants its answer from the cache beside us where that has enough of the prompt.
 */
export class SharedStorageTransfer extends KvTransfer {
  readonly name = 'shared-storage';
  private readonly first: DecodeFirst;

  constructor(
    private readonly stages: StageClient,
    private readonly decode: LocalDecode,
  ) {
    super();
    this.first = new DecodeFirst(decode);
  }

  async run(request: TransferRequest): Promise<ClientResponse> {
    const asked = withOwnThreshold(request);
    const cached = asked === undefined ? undefined : await this.first.run(request, asked);
    if (cached !== undefined) return cached;
    // any share of the prompt is enough from here on
    const body = request.json.set(THRESHOLD, ZERO);
    const prefilled = await this.stages.whole(
      request,
      {
        stage: 'prefill',
        base: this.stages.baseOf('prefill', request.prefiller),
        body: singleToken(body, request.apiType).toRope(),
      },
      checkPrefill,
    );
    if (!isGood(prefilled.status)) return { ...prefilled, body: [prefilled.bytes] };
    return this.decode.stream(request, body);
  }
}

/** The body with the threshold that the client sent, or undefined where it sent none: that of the encode stage says nothing of its wish. */
function withOwnThreshold({ json, own }: TransferRequest): JsonObject | undefined {
  if (own === undefined) return json.has(THRESHOLD) ? json : undefined;
  const threshold = own.valueBytes(THRESHOLD);
  return threshold && json.set(THRESHOLD, threshold);
}
