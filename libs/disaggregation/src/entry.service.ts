import { randomInt } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { BadRequestError, UpstreamConnectionError } from '#foundation';
import { JsonSyntaxError, validatedObject } from '#json';
import type { JsonObject } from '#json';
import type { ClientResponse } from '#pipeline';
import { hostPort, hostPortText, isSameEndpoint, valuesOf } from '#protocol';
import type { HostPort } from '#protocol';
import type { AllowList } from './allow-list.ts';
import { bypassReason } from './bypass.ts';
import type { LocalDecode } from './decode/local-decode.ts';
import type { DisaggRequest, ReadRequest, TransferRequest } from './disagg-request.ts';
import type { EncodeStage } from './ec/encode-stage.ts';
import { forbiddenTarget } from './forbidden-target.ts';
import type { KvTransfer } from './kv/kv-transfer.ts';
import type { PrefixPull } from './kv/prefix-pull.ts';

/** What a request is driven with. */
export interface EntryParts {
  /** Whether any of the prefill candidates is taken, rather than the first. */
  readonly samplesPrefillers: boolean;
  readonly allowList: AllowList;
  readonly kv: KvTransfer;
  readonly pull: PrefixPull;
  /** Undefined where no encode connector is configured. */
  readonly encode: EncodeStage | undefined;
  readonly decode: LocalDecode;
}

/** Reads where the endpoint picker wants the stages of a request to run, and has them run there (`sidecar.md` 3). */
export class EntryService {
  private readonly logger = new Logger('entry');

  constructor(private readonly parts: EntryParts) {}

  /**
   * @returns the client's answer
   * @throws CoordinatorError when a stage could not be run
   */
  async run(request: DisaggRequest): Promise<ClientResponse> {
    const chosen = this.chosenPrefill(request);
    if (chosen === undefined) return this.staged(request, undefined);
    const target = hostPort(chosen);
    if (!this.parts.allowList.allows(target?.host ?? chosen)) return this.denied(request, target);
    if (target === undefined) throw malformed(request);
    request.watch.note({ prefillTarget: hostPortText(target) });
    return this.staged(request, target);
  }

  private async staged(request: DisaggRequest, prefiller: HostPort | undefined): Promise<ClientResponse> {
    const source = this.sourceOf(request);
    const encoders = this.encodersOf(request);
    if (this.parts.encode !== undefined && encoders.length > 0) {
      return this.encoded(request, this.parts.encode, encoders, prefiller);
    }
    if (prefiller === undefined) return this.decodeOnly(request, source);
    request.watch.note({ disaggType: 'prefill-decode' });
    const read = await readRequest(request);
    const usable = source !== undefined && !isSameEndpoint(source, prefiller) ? source : undefined;
    const transfer = { ...read, prefiller, source: usable };
    const reason = this.bypassReason(transfer);
    if (reason === undefined) return this.parts.kv.run(transfer);
    request.watch.note({ disaggType: 'decode-only', reason });
    return this.parts.decode.decode(read, read.json);
  }

  /** Remote encode, then whatever follows; a cached prefix is not pulled here, nor is the answer made in chunks. */
  private async encoded(
    request: DisaggRequest,
    stage: EncodeStage,
    encoders: readonly HostPort[],
    prefiller: HostPort | undefined,
  ): Promise<ClientResponse> {
    const { watch } = request;
    watch.note({ disaggType: prefiller === undefined ? 'encode-decode' : 'encode-prefill-decode' });
    const read = await readRequest(request);
    const { json, items } = await stage.run(read, encoders);
    if (items === 0) watch.note({ disaggType: prefiller === undefined ? 'decode-only' : 'prefill-decode' });
    if (prefiller === undefined) return this.parts.decode.stream(read, json);
    const transfer = { ...read, json, own: read.json, prefiller, source: undefined };
    const reason = this.bypassReason(transfer);
    if (reason === undefined) return this.parts.kv.run(transfer);
    watch.note({ disaggType: items === 0 ? 'decode-only' : 'encode-decode', reason });
    return this.parts.decode.stream(read, json);
  }

  private bypassReason(request: TransferRequest): string | undefined {
    return bypassReason(request.json) ?? this.parts.kv.bypass(request);
  }

  private async decodeOnly(request: DisaggRequest, source: HostPort | undefined): Promise<ClientResponse> {
    const { decode, pull } = this.parts;
    request.watch.note({ disaggType: 'decode-only', reason: 'no_prefill_header' });
    const isOtherRank = request.listener.rank === 0 && request.hints.dataParallel !== undefined;
    const pulled = isOtherRank || source === undefined || pull.isOwn(source, request.listener) ? undefined : source;
    if (pulled === undefined && !decode.isChunked(request)) return decode.forward(request);
    const read = await readRequest(request);
    const { json } = read;
    // log probabilities of a prompt are made of all of it, here as with a remote prefill
    const isPulled = pulled !== undefined && bypassReason(json) === undefined;
    return decode.decode(read, isPulled ? pull.forDecode(json, pulled) : json);
  }

  /** One of the candidates; a second one is not tried, be the first empty. */
  private chosenPrefill({ hints, watch }: DisaggRequest): string | undefined {
    const { length } = hints.prefill;
    const index = this.parts.samplesPrefillers && length > 1 ? randomInt(length) : 0;
    const chosen = hints.prefill[index] ?? '';
    if (chosen === '') return undefined;
    watch.note({ prefillCandidates: length });
    return chosen;
  }

  /** A source that cannot be used is as good as none. */
  private sourceOf({ scope, hints, watch }: DisaggRequest): HostPort | undefined {
    if (hints.kvCacheSource === undefined) return undefined;
    const id = { 'x-request-id': scope.id };
    if (!this.parts.kv.canPull) {
      this.logger.debug({ ...id, why: 'cannot pull' }, IGNORED_SOURCE);
      return undefined;
    }
    // a scheme is no part of what the endpoint picker writes here
    const source = hints.kvCacheSource.includes('//') ? undefined : hostPort(hints.kvCacheSource);
    if (source === undefined || !this.parts.allowList.allows(source.host)) {
      watch.note({ isSourceDenied: true });
      this.logger.log({ ...id, why: source === undefined ? 'malformed' : 'not allowed' }, IGNORED_SOURCE);
      return undefined;
    }
    watch.note({ kvCacheSource: hostPortText(source) });
    return source;
  }

  private encodersOf({ scope, hints, watch }: DisaggRequest): readonly HostPort[] {
    if (hints.encode.length === 0) return [];
    const targets = hints.encode.map(hostPort).filter((target) => target !== undefined);
    const allowed = targets.filter(({ host }) => this.parts.allowList.allows(host));
    watch.note({ encoderCandidates: hints.encode.length, encoderAllowed: allowed.length });
    if (allowed.length < hints.encode.length) {
      const denied = hints.encode.length - allowed.length;
      this.logger.log({ 'x-request-id': scope.id, denied, allowed: allowed.length }, 'left encode workers out');
    }
    return allowed;
  }

  private denied({ scope, path, watch }: DisaggRequest, prefiller: HostPort | undefined): ClientResponse {
    const target = prefiller === undefined ? 'malformed' : hostPortText(prefiller);
    watch.note({ deniedTarget: target, reason: 'denied' });
    this.logger.error(
      {
        'x-request-id': scope.id,
        target,
        path: path.split('?', 1)[0],
        client: valuesOf(scope.headers, 'x-forwarded-for').at(-1),
        userAgent: valuesOf(scope.headers, 'user-agent')[0],
      },
      'refused a prefill target that is not in the pool (--enable-ssrf-protection)',
    );
    return forbiddenTarget();
  }
}

const IGNORED_SOURCE = 'ignoring the KV cache source';

/** The endpoint picker wrote it, so it is a worker that cannot be reached, not a fault of the client's. */
function malformed({ watch }: DisaggRequest): UpstreamConnectionError {
  watch.note({ reason: 'malformed_target' });
  watch.stage('prefill').ended({ status: undefined, failure: 'malformed_target' });
  return new UpstreamConnectionError('prefill', 'refused');
}

/** @throws BadRequestError for a body that is no JSON object */
export async function readRequest(request: DisaggRequest): Promise<ReadRequest> {
  const received = await request.body.bytes();
  return { ...request, received, json: await parsed(received) };
}

async function parsed(bytes: Buffer): Promise<JsonObject> {
  try {
    return await validatedObject(bytes);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new BadRequestError('invalid_body', `invalid JSON: ${error.message}`);
  }
}
