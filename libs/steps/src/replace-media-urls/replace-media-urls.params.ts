import { z } from 'zod';
import { duration, integer, mebibytes } from '#config';
import { normalizeDomain } from './domain-name.ts';
import { isMediaType, normalizeMediaType } from './media-types.ts';
import { parseNetwork } from './network.ts';

const contentTypes = (modality: string): z.ZodOptional<z.ZodArray<z.ZodString>> =>
  z
    .array(
      z.string().refine((entry) => isMediaType(normalizeMediaType(entry)), {
        error: `expected a media type without wildcards, such as "${modality}/ogg"`,
      }),
    )
    .optional()
    .describe(
      `Media types accepted for ${modality}, in data URIs and downloads. Replaces the built-in list; an empty list accepts any type.`,
    );

const modalityCap = (modality: string, more = ''): z.ZodOptional<z.ZodInt> =>
  mebibytes({ min: 1 }).optional().describe(`Largest ${modality}, in MiB; \`max_download_size\` when absent.${more}`);

export const replaceMediaUrlsParams = z.strictObject({
  download_timeout: duration('10s', { min: '1ms' }).describe(
    'Longest time for one download, from name resolution to the last byte, redirects included.',
  ),
  max_concurrent_downloads: integer({ min: 1 }).default(10).describe('Downloads of one request at a time.'),
  max_multimodal_entries: integer({ min: 0 })
    .default(0)
    .describe('Media parts allowed in a request, inline ones included; 0 is no limit of its own.'),
  max_download_size: mebibytes({ min: 1 }).default(10).describe('Largest item, in MiB, unless its kind has its own.'),
  max_image_download_size: modalityCap('image', ' Inline images are measured only when it is set.'),
  max_audio_download_size: modalityCap('audio'),
  max_video_download_size: modalityCap('video'),
  max_total_download_size: mebibytes({ min: 0 })
    .default(0)
    .describe('What all downloads of one request may bring together, in MiB; 0 bounds only each item.'),
  allow_private_networks: z
    .boolean()
    .default(false)
    .describe(
      'Lets downloads connect to RFC 1918 addresses (10/8, 172.16/12, 192.168/16), and to nothing else special.',
    ),
  allowed_networks: z
    .array(
      z.string().refine((text) => parseNetwork(text.trim()) !== undefined, {
        error: 'expected a network in CIDR notation, such as "10.20.0.0/16" or "fd00:20::/64"',
      }),
    )
    .default([])
    .describe('Networks that downloads may connect to whatever they are, loopback too, in CIDR notation.'),
  allowed_domains: z
    .array(
      z.string().refine((text) => normalizeDomain(text) !== undefined, {
        error: 'expected a host name alone, without scheme, port, path or wildcard',
      }),
    )
    .default([])
    .describe(
      'Hosts that media may come from, on every redirect too; matched whole, in any case. Empty is any host. Opens no address.',
    ),
  allowed_image_content_types: contentTypes('image'),
  allowed_audio_content_types: contentTypes('audio'),
  allowed_video_content_types: contentTypes('video'),
  trust_proxy_env: z
    .boolean()
    .default(false)
    .describe(
      'Downloads obey HTTP_PROXY, HTTPS_PROXY and NO_PROXY. A proxy resolves names itself: what goes through it has no address check.',
    ),
});

export type ReplaceMediaUrlsParams = z.output<typeof replaceMediaUrlsParams>;
