import { PipelineStep, next } from '#pipeline';
import type { PipelineRequest, Step, StepOutcome } from '#pipeline';
import type { Splice } from '#json';
import { findMediaParts } from '#protocol';
import { MediaInliner } from './media-inliner.ts';
import type { MediaReplacement } from './media-inliner.ts';
import { mediaReference } from './media-reference.ts';
import type { MediaReference } from './media-reference.ts';
import { mediaRules } from './media-rules.ts';
import { replaceMediaUrlsParams } from './replace-media-urls.params.ts';
import type { ReplaceMediaUrlsParams } from './replace-media-urls.params.ts';

/** Downloads what media parts point at and puts it in their place as data URIs, so that no worker fetches anything. */
@PipelineStep('replace-media-urls', replaceMediaUrlsParams)
export class ReplaceMediaUrlsStep implements Step<ReplaceMediaUrlsParams> {
  constructor(private readonly inliner: MediaInliner) {}

  readonly execute = async (request: PipelineRequest, params: ReplaceMediaUrlsParams): Promise<StepOutcome> => {
    const mediaParts = await findMediaParts(request.body, request.format);
    if (mediaParts.length === 0) return next({ mediaParts });
    const references = mediaParts.map(mediaReference);
    const replacements = await this.inliner.inline(references, mediaRules(params), request.scope.signal);
    return next({ mediaParts, body: request.body.splice(urlSplices(references, replacements)) });
  };
}

function urlSplices(
  references: readonly MediaReference[],
  replacements: readonly (MediaReplacement | undefined)[],
): readonly Splice[] {
  return references.flatMap((reference, index) => {
    const replacement = replacements[index];
    if (replacement === undefined || reference.kind !== 'url') return [];
    const { start, end } = reference.value;
    return [{ start, end, insert: dataUri(replacement) }];
  });
}

/** A JSON string; neither a normalised media type nor base64 has anything to escape. */
function dataUri({ contentType, base64 }: MediaReplacement): Splice['insert'] {
  return [Buffer.from(`"data:${contentType};base64,`), base64, QUOTE];
}

const QUOTE = Buffer.from('"');
