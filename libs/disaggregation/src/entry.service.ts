import { randomInt } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { BadRequestError, UpstreamConnectionError } from '#foundation';
import { JsonSyntaxError, validatedObject } from '#json';
import type { JsonObject } from '#json';
import type { ClientResponse } from '#pipeline';
import type { AllowList } from './allow-list.ts';
import { bypassReason } from './bypass.ts';
import type { LocalDecode } from './decode/local-decode.ts';
import type { DisaggRequest, ReadRequest, TransferRequest } from './disagg-request.ts';
import type { DisaggSettings } from './disagg.settings.ts';
import type { EncodeStage } from './ec/encode-stage.ts';
import { forbiddenTarget } from './forbidden-target.ts';
import { hostPort, hostPortText, isSameEndpoint } from './host-port.ts';
import type { HostPort } from './host-port.ts';
import type { KvTransfer } from './kv/kv-transfer.ts';
import type { PrefixPull } from './kv/prefix-pull.ts';

/** What a request is driven with. */
export interface EntryParts {
  readonly settings: DisaggSettings;
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
    const prefiller = this.prefillerOf(request);
    if (prefiller !== undefined && !this.parts.allowList.allows(prefiller.host)) {
      return this.denied(request, prefiller);
    }
    const source = this.sourceOf(request);
    const encoders = this.encodersOf(request);
    if (this.parts.encode !== undefined && encoders.length > 0) {
      return this.encoded(request, this.parts.encode, encoders, prefiller);
    }
    if (prefiller === undefined) return this.decodeOnly(request, source);
    request.watch.note({ disaggType: 'prefill-decode' });
    const read = await readRequest(request);
    const usable = source !== undefined && !isSameEndpoint(source, prefiller) ? source : undefined;
    return this.transfer({ ...read, prefiller, source: usable });
  }

  /** Remote encode, then whatever follows; a cached prefix is not pulled here. */
  private async encoded(
    request: DisaggRequest,
    stage: EncodeStage,
    encoders: readonly HostPort[],
    prefiller: HostPort | undefined,
  ): Promise<ClientResponse> {
    request.watch.note({ disaggType: prefiller === undefined ? 'encode-decode' : 'encode-prefill-decode' });
    const read = await readRequest(request);
    const json = await stage.run(read, encoders);
    if (prefiller === undefined) return this.parts.decode.stream(read, json);
    return this.transfer({ ...read, json, prefiller, source: undefined });
  }

  private transfer(request: TransferRequest): Promise<ClientResponse> {
    const reason = bypassReason(request.json) ?? this.parts.kv.bypass(request);
    if (reason === undefined) return this.parts.kv.run(request);
    request.watch.note({ reason });
    return this.parts.decode.stream(request, request.json);
  }

  private async decodeOnly(request: DisaggRequest, source: HostPort | undefined): Promise<ClientResponse> {
    const { decode, pull } = this.parts;
    request.watch.note({ disaggType: 'decode-only', reason: 'no_prefill_header' });
    const isOtherRank = request.listener.rank === 0 && request.hints.dataParallel !== undefined;
    const pulled = isOtherRank || source === undefined || pull.isOwn(source, request.listener) ? undefined : source;
    if (pulled === undefined && !decode.isChunked(request)) return decode.forward(request);
    const read = await readRequest(request);
    return decode.decode(read, pulled === undefined ? read.json : pull.forDecode(read.json, pulled));
  }

  private prefillerOf({ hints, watch }: DisaggRequest): HostPort | undefined {
    const { length } = hints.prefill;
    const index = this.parts.settings.samplesPrefillers && length > 1 ? randomInt(length) : 0;
    const chosen = hints.prefill[index] ?? '';
    if (chosen === '') return undefined;
    const target = hostPort(chosen);
    // the endpoint picker wrote it, so it is an upstream that cannot be reached, not a fault of the client's
    if (target === undefined) throw new UpstreamConnectionError('prefill', 'refused');
    watch.note({ prefillTarget: hostPortText(target), prefillCandidates: length });
    return target;
  }

  private sourceOf({ scope, hints, watch }: DisaggRequest): HostPort | undefined {
    if (hints.kvCacheSource === undefined) return undefined;
    const ignored = (why: string): HostPort | undefined => {
      this.logger.log({ 'x-request-id': scope.id, why }, 'ignoring the KV cache source');
      return undefined;
    };
    if (!this.parts.kv.canPull) return ignored('the connector cannot pull');
    // a scheme is no part of what the endpoint picker writes here
    const source = hints.kvCacheSource.includes('//') ? undefined : hostPort(hints.kvCacheSource);
    if (source === undefined) return ignored('malformed');
    if (!this.parts.allowList.allows(source.host)) return ignored('not allowed');
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

  private denied({ scope, path, watch }: DisaggRequest, prefiller: HostPort): ClientResponse {
    const target = hostPortText(prefiller);
    watch.note({ deniedTarget: target, reason: 'denied' });
    this.logger.error(
      { 'x-request-id': scope.id, target, path: path.split('?', 1)[0] },
      'refused a prefill target that is not in the pool (--enable-ssrf-protection)',
    );
    return forbiddenTarget();
  }
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
