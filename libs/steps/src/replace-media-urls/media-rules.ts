import type { Modality } from '#protocol';
import type { NetworkPolicy } from './address-guard.ts';
import { normalizeDomain } from './domain-name.ts';
import { DEFAULT_MEDIA_TYPES, normalizeMediaType } from './media-types.ts';
import type { MediaTypes } from './media-types.ts';
import { parseNetwork } from './network.ts';
import type { ReplaceMediaUrlsParams } from './replace-media-urls.params.ts';

const MIB = 1024 * 1024;

/** What one kind of media is held to. Sizes are bytes of the media itself, not of its base64. */
export interface ModalityRules {
  readonly types: MediaTypes;
  /** A download of exactly that size is accepted. */
  readonly maxBytes: number;
  /** The same for what came in the request; undefined leaves it unmeasured. */
  readonly maxInlineBytes: number | undefined;
}

/** A step's parameters in the form its parts use. */
export interface MediaRules extends Readonly<Record<Modality, ModalityRules>> {
  readonly network: NetworkPolicy;
  readonly trustProxyEnv: boolean;
  /** Lower case; empty is any host. */
  readonly allowedDomains: ReadonlySet<string>;
  readonly timeoutMs: number;
  readonly maxConcurrent: number;
  /** Infinity when there is no limit, as for `maxTotalBytes`. */
  readonly maxEntries: number;
  readonly maxTotalBytes: number;
}

const known = new WeakMap<ReplaceMediaUrlsParams, MediaRules>();

/** The rules of a step; worked out once, since a step's parameters are the same object for every request. */
export function mediaRules(params: ReplaceMediaUrlsParams): MediaRules {
  const rules = known.get(params) ?? read(params);
  known.set(params, rules);
  return rules;
}

function read(params: ReplaceMediaUrlsParams): MediaRules {
  return {
    network: {
      allowPrivateNetworks: params.allow_private_networks,
      allowedNetworks: params.allowed_networks.flatMap((text) => parseNetwork(text.trim()) ?? []),
    },
    trustProxyEnv: params.trust_proxy_env,
    allowedDomains: new Set(params.allowed_domains.flatMap((text) => normalizeDomain(text) ?? [])),
    timeoutMs: params.download_timeout,
    maxConcurrent: params.max_concurrent_downloads,
    maxEntries: orInfinity(params.max_multimodal_entries),
    maxTotalBytes: orInfinity(params.max_total_download_size) * MIB,
    image: modalityRules('image', params),
    audio: modalityRules('audio', params),
    video: modalityRules('video', params),
  };
}

function modalityRules(modality: Modality, params: ReplaceMediaUrlsParams): ModalityRules {
  const own = params[`max_${modality}_download_size`];
  const types = params[`allowed_${modality}_content_types`]?.map(normalizeMediaType);
  const maxBytes = (own ?? params.max_download_size) * MIB;
  return {
    types: types === undefined ? DEFAULT_MEDIA_TYPES[modality] : new Set(types),
    maxBytes,
    maxInlineBytes: modality === 'image' && own === undefined ? undefined : maxBytes,
  };
}

/** Zero is how the file says "no limit". */
function orInfinity(limit: number): number {
  return limit === 0 ? Infinity : limit;
}
