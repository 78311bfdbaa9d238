import { z } from 'zod';
import { duration } from '#config';

const reference = z.strictObject({ pluginRef: z.string().min(1) });

const plugin = z.strictObject({
  type: z.string().default(''),
  name: z.string().min(1).optional(),
  parameters: z.unknown().optional(),
});

const profile = z.strictObject({
  name: z.string().min(1, 'a scheduling profile needs a name'),
  plugins: z
    .array(z.strictObject({ pluginRef: z.string().min(1), weight: z.number().default(1) }))
    .default([])
    .describe('Filters in their order, scorers with their weights, and at most one picker.'),
});

const priorityBand = z.strictObject({
  priority: z.int().optional(),
  maxBytes: z.union([z.string(), z.number()]).optional(),
  maxRequests: z.int().optional(),
  fairnessPolicyRef: z.string().optional(),
  orderingPolicyRef: z.string().optional(),
});

const API_VERSION = 'llm-d.ai/v1alpha1';
export const OLD_API_VERSION = 'inference.networking.x-k8s.io/v1alpha1';

/** The file of an endpoint picker, as it is written (`epp.md` 3). */
export const pickerConfigSchema = z.strictObject({
  apiVersion: z.enum([API_VERSION, OLD_API_VERSION]),
  kind: z.literal('EndpointPickerConfig'),
  featureGates: z
    .array(z.string().regex(/^(flowControl|haPopulateNonLeaderDatastore)(=(true|false))?$/, 'unknown feature gate'))
    .default([]),
  plugins: z.array(plugin).default([]),
  schedulingProfiles: z.array(profile).default([]),
  dataLayer: z
    .strictObject({
      injectDefaults: z.boolean().default(true),
      sources: z
        .array(z.strictObject({ pluginRef: z.string().min(1), extractors: z.array(reference).default([]) }))
        .default([]),
      discovery: reference.optional(),
    })
    .prefault({}),
  requestHandler: z.strictObject({ parsers: z.array(reference).default([]) }).prefault({}),
  parser: reference.optional(),
  saturationDetector: reference.optional(),
  flowControl: z
    .strictObject({
      maxBytes: z.union([z.string(), z.number()]).optional(),
      maxRequests: z.int().optional(),
      defaultRequestTTL: duration('60s'),
      noEndpointRequestTTL: duration('0s'),
      defaultPriorityBand: priorityBand.optional(),
      defaultNegativePriorityBand: priorityBand.optional(),
      priorityBands: z.array(priorityBand).default([]),
      usageLimitPolicyPluginRef: z.string().optional(),
      saturationDetector: reference.optional(),
      enableEviction: z.boolean().default(false),
    })
    .prefault({}),
});

export type PickerConfig = z.output<typeof pickerConfigSchema>;
export type PluginEntry = PickerConfig['plugins'][number];
