import type { Socket } from 'node:net';
import { errors } from 'undici';
import { compose } from '#foundation';
import type { Interceptor } from '#foundation';
import type { Modality } from '#protocol';
import { ByteBudget } from './byte-budget.ts';
import { acceptedType } from './content-sniffer.ts';
import { DownloadDeadline } from './download-deadline.ts';
import { openDispatcher } from './guarded-dispatcher.ts';
import { MediaFetchFailure, mediaFetchFailed } from './media-fetch.failure.ts';
import { MediaResponseHandler } from './media-response.handler.ts';
import type { HopResult } from './media-response.handler.ts';
import type { MediaRules } from './media-rules.ts';
import { checkHop, parseMediaUrl } from './media-url.ts';
import { systemLookup } from './name-lookup.ts';
import type { Lookup } from './name-lookup.ts';
import { networkFailure } from './network-failure.ts';

/** What is to be downloaded, and for which part. */
export interface MediaSource {
  readonly url: string;
  readonly modality: Modality;
  /** Position among the parts of its modality, 0-based. */
  readonly index: number;
  /** The part as errors name it: `messages[0].content[1]`. */
  readonly param: string;
}

/** A download as interceptors see it: of the URL that the client wrote, empty where there is none in it. */
export interface MediaCall {
  readonly modality: Modality;
  readonly index: number;
  /** With the port, where the URL has one. */
  readonly host: string;
  /** Without query and fragment, which may be signatures. */
  readonly path: string;
}

export interface MediaDownload {
  readonly bytes: Buffer;
  /** Normalised, on the list of its modality. */
  readonly contentType: string;
}

const MAX_REDIRECTS = 5;

/** Nothing of the client's request is in it. */
const HEADERS = { 'user-agent': 'inference-coordinator', accept: '*/*', 'accept-encoding': 'identity' };

/** Fetches media from origins that clients name: whoever they are, whatever they send, for a bounded time and in bounded memory. */
export class MediaDownloader {
  /** @param interceptors outermost first; they see a failure as the client does, with a `MediaFetchFailure` as its cause */
  constructor(
    private readonly interceptors: readonly Interceptor<MediaCall, MediaDownload>[] = [],
    private readonly lookup: Lookup = systemLookup,
  ) {}

  /**
   * @param signal of the request; its reason is thrown as it is when it ends the download
   * @param budget what the request's downloads may bring together
   * @throws BadRequestError media_fetch_failed, the same for every cause
   */
  download(
    source: MediaSource,
    rules: MediaRules,
    signal: AbortSignal,
    budget: ByteBudget = new ByteBudget(Infinity),
  ): Promise<MediaDownload> {
    const { modality, index, url } = source;
    const parsed = URL.parse(url);
    const call = { modality, index, host: parsed?.host ?? '', path: parsed?.pathname ?? '' };
    return compose(this.interceptors, () => this.fetch(source, rules, signal, budget))(call);
  }

  private async fetch(
    source: MediaSource,
    rules: MediaRules,
    signal: AbortSignal,
    budget: ByteBudget,
  ): Promise<MediaDownload> {
    const deadline = new DownloadDeadline(signal, rules.timeoutMs, new MediaFetchFailure('timeout'));
    try {
      const { bytes, contentType } = await this.follow(source, rules, deadline.signal, budget);
      const type = acceptedType(bytes, contentType, source.modality, rules[source.modality].types);
      if (type === undefined) throw new MediaFetchFailure('type');
      return { bytes, contentType: type };
    } catch (error) {
      signal.throwIfAborted();
      throw mediaFetchFailed(networkFailure(error), source.param);
    } finally {
      deadline.close();
    }
  }

  private async follow(
    { url, modality }: MediaSource,
    rules: MediaRules,
    signal: AbortSignal,
    budget: ByteBudget,
  ): Promise<HopResult & { kind: 'media' }> {
    let next = parseMediaUrl(url);
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      checkHop(next, rules);
      const handler = new MediaResponseHandler(next, rules[modality].maxBytes, budget);
      const result = await this.exchange(next, handler, rules, signal);
      if (result.kind === 'media') return result;
      next = result.to;
    }
    throw new MediaFetchFailure('redirects');
  }

  private async exchange(
    url: URL,
    handler: MediaResponseHandler,
    rules: MediaRules,
    signal: AbortSignal,
  ): Promise<HopResult> {
    signal.throwIfAborted();
    let socket: Socket | undefined;
    const dispatcher = openDispatcher(url.origin, {
      policy: rules.network,
      trustProxyEnv: rules.trustProxyEnv,
      lookup: this.lookup,
      signal,
      onSocket: (connected) => {
        socket = connected;
      },
    });
    const onAbort = (): void => {
      const reason: unknown = signal.reason;
      dispatcher.destroy(reason instanceof Error ? reason : null).catch(() => undefined);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      dispatcher.dispatch(
        { origin: url.origin, path: url.pathname + url.search, method: 'GET', headers: HEADERS },
        handler,
      );
      const result = await handler.result;
      if (result.kind === 'media' && sentTooMuch(socket)) throw new MediaFetchFailure('broken');
      return result;
    } finally {
      signal.removeEventListener('abort', onAbort);
      await dispatcher.destroy();
    }
  }
}

/** Whether bytes came behind the end of the answer, in the same read: its length was a lie. */
function sentTooMuch(socket: Socket | undefined): boolean {
  const error = socket?.errored;
  return (
    error instanceof errors.HTTPParserError || (error instanceof errors.SocketError && error.message === 'bad response')
  );
}
