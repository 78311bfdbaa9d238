import { BadRequestError } from '#foundation';
import type { UpstreamReply } from '#gateway';
import type { JsonObject } from '#json';
import type { ClientResponse } from '#pipeline';
import { hostPort, hostPortText } from '#protocol';
import type { DisaggRequest, ReadRequest } from '../disagg-request.ts';
import type { StageClient } from '../stage.client.ts';
import type { ChunkedDecode } from './chunked-decode.ts';

/** The engines beside us by the address that the endpoint picker knows them by: `POD_IP:port` of each rank's listener. */
export type RankDecoders = ReadonlyMap<string, string>;

const CHAT_PATH = '/v1/chat/completions';

/** The last stage: the engine in the same pod. */
export class LocalDecode {
  constructor(
    private readonly stages: StageClient,
    private readonly ranks: RankDecoders,
    /** Undefined where answers are not made in chunks. */
    private readonly chunked?: ChunkedDecode,
  ) {}

  /** The request as it came. @throws as `StageClient.stream` */
  forward(request: DisaggRequest): Promise<ClientResponse> {
    return this.stages.forward(request, this.decoderOf(request));
  }

  /**
   * Sends a body to the engine; the head of its answer, whatever the status.
   * @param headers beside the client's
   * @param signal follows `scope.signal`, where the call may be given up before the client leaves
   * @throws BadRequestError for a rank that is none of ours, and as `StageClient.stream`
   */
  async stream(
    request: DisaggRequest,
    body: JsonObject,
    headers: readonly string[] = [],
    signal: AbortSignal = request.scope.signal,
  ): Promise<UpstreamReply> {
    const base = this.decoderOf(request);
    return this.stages.stream(request, { stage: 'decode', base, body: body.toRope(), headers, signal });
  }

  /** As `stream`, in chunks where answers are made so: chat only, and not where another rank was asked for (`sidecar.md` 6). */
  async decode(request: ReadRequest, body: JsonObject, headers: readonly string[] = []): Promise<ClientResponse> {
    const { chunked } = this;
    return chunked !== undefined && this.isChunked(request)
      ? chunked.run(request, body, headers)
      : await this.stream(request, body, headers);
  }

  /** Whether the answer is made in chunks, for which the body has to be read. */
  isChunked({ path, hints, listener }: DisaggRequest): boolean {
    const isOtherRank = listener.rank === 0 && hints.dataParallel !== undefined;
    return this.chunked !== undefined && path.split('?', 1)[0] === CHAT_PATH && !isOtherRank;
  }

  /** The engine of the listener, or of the rank that the base listener is asked for (`sidecar.md` 9.2). */
  private decoderOf({ listener, hints, watch }: DisaggRequest): string {
    if (listener.rank !== 0 || hints.dataParallel === undefined) return listener.decoder;
    const asked = hostPort(hints.dataParallel);
    const decoder = asked === undefined ? undefined : this.ranks.get(hostPortText(asked));
    if (decoder === undefined) {
      throw new BadRequestError('invalid_value', 'x-data-parallel-host-port names no rank of this pod');
    }
    watch.note({ isDataParallel: true, decodeTarget: decoder });
    return decoder;
  }
}
