import { z } from 'zod';

const name = z.string().min(1);
const stages = { prefill: z.string().default(''), encode: z.string().default('') };

/** `decode-first`, `DecodeFirst`, `decode_first` and `decode` are the same. */
const stageOrder = z
  .string()
  .transform((text) => text.toLowerCase().replaceAll(/[-_]/g, ''))
  .pipe(z.enum(['decodefirst', 'decode', 'prefillfirst', 'prefill']))
  .transform((text) => (text.startsWith('prefill') ? 'prefill-first' : 'decode-first'))
  .default('decode-first')
  .describe('decode-first lets deciders see where decode goes; prefill-first does not.');

const nested = z.strictObject({
  profiles: z
    .strictObject({ decode: name.default('decode'), prefill: name.default('prefill'), encode: name.default('encode') })
    .prefault({}),
  deciders: z.strictObject(stages).prefault({}),
  stageOrder,
});

/** The same as it was written before there were groups. */
const flat = z
  .strictObject({
    decodeProfile: name.default('decode'),
    prefillProfile: name.default('prefill'),
    encodeProfile: name.default('encode'),
    prefillDeciderPluginName: z.string().optional(),
    encodeDeciderPluginName: z.string().default(''),
    deciderPluginName: z.string().default(''),
    stageOrder,
  })
  .transform((old): z.output<typeof nested> => ({
    profiles: { decode: old.decodeProfile, prefill: old.prefillProfile, encode: old.encodeProfile },
    deciders: { prefill: old.prefillDeciderPluginName ?? old.deciderPluginName, encode: old.encodeDeciderPluginName },
    stageOrder: old.stageOrder,
  }));

export type DisaggParams = z.output<typeof nested>;

const FLAT_KEYS = [
  'decodeProfile',
  'prefillProfile',
  'encodeProfile',
  'prefillDeciderPluginName',
  'encodeDeciderPluginName',
  'deciderPluginName',
];

/** Profiles, deciders and order of the stages, in either form but not in both. */
export const disaggParams = z
  .looseObject({})
  .prefault({})
  .transform((given, context): DisaggParams => {
    const isFlat = FLAT_KEYS.some((key) => key in given);
    if (isFlat && ('profiles' in given || 'deciders' in given)) {
      context.issues.push({ code: 'custom', input: given, message: 'profiles and deciders are given in two forms' });
      return z.NEVER;
    }
    const parsed = (isFlat ? flat : nested).safeParse(given);
    if (!parsed.success) {
      for (const { path, message } of parsed.error.issues)
        context.issues.push({ code: 'custom', input: given, path, message });
      return z.NEVER;
    }
    if (parsed.data.stageOrder === 'prefill-first' && parsed.data.deciders.prefill !== '') {
      const message = 'a prefill decider decides on the endpoint that decode was given, so prefill cannot come first';
      context.issues.push({ code: 'custom', input: given, path: ['stageOrder'], message });
      return z.NEVER;
    }
    return parsed.data;
  });
