import { buildObject, jsonString } from '#json';
import type { Rope } from '#json';
import type { Features } from '#protocol';

/** `features` of a tokens-in body: everything the preprocessor made, so that the worker needs nothing of the image itself. */
export function featuresWithKwargs(features: Features): Rope {
  return buildObject({
    mm_hashes: features.hashes,
    mm_placeholders: features.placeholders,
    kwargs_data: kwargsData(features),
  });
}

/** As it came when it has every modality; else an entry that has none is `null`: the worker finds it by hash. */
function kwargsData(features: Features): Buffer | Rope {
  if (features.kwargs !== undefined && features.entries.every((entry) => entry.hasKwargsList)) return features.kwargs;
  const lists = new Map<string, string[]>();
  for (const { modality, kwargs } of features.entries) {
    const list = lists.get(modality) ?? [];
    list.push(kwargs?.toString('latin1') ?? 'null');
    lists.set(modality, list);
  }
  return buildObject(Object.fromEntries([...lists].map(([modality, list]) => [modality, `[${list.join(',')}]`])));
}

/** One entry's lists: `{"<modality>":[value]}`. */
export function singleList(modality: string, value: string | Buffer | Rope): Rope {
  const [open, close] = [`{${jsonString(modality)}:[`, ']}'];
  const inner = typeof value === 'string' ? [Buffer.from(value)] : Buffer.isBuffer(value) ? [value] : value;
  return [Buffer.from(open), ...inner, Buffer.from(close)];
}
