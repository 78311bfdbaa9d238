import { z } from 'zod';
import {
  Director,
  EndpointStore,
  PLUGINS,
  SchedulingError,
  SchedulingPlugin,
  buildPicker,
  loadPickerConfig,
  pluginMetadata,
} from '#scheduling';
import type { Endpoint, PickerParts, PluginClass, SchedulingRequest, Termination } from '#scheduling';
const NONE = z.strictObject({}).prefault({});

/** Enough of a parser: JSON with `model`, `stream` and words for tokens. */
@SchedulingPlugin({ type: 'openai-parser', parameters: NONE })
class WordParser {
  readonly suffixes = ['/completions'];

  parse(body: Buffer) {
    const json = objectOf(body);
    const model = typeof json['model'] === 'string' ? json['model'] : undefined;
    const words = JSON.stringify(json['messages'] ?? '').split(' ').length;
    return {
      model,
      isStream: json['stream'] === true,
      hasMedia: false,
      cacheSalt: '',
      maxTokens: undefined,
      prompts: () => [{ ids: new Uint32Array(words), features: [] }],
      withModel: (name: string) => Buffer.from(JSON.stringify({ ...json, model: name })),
    };
  }
}

@SchedulingPlugin({ type: 'vllmhttp-parser', parameters: NONE })
class GenerateParser extends WordParser {
  override readonly suffixes = ['/generate'];
}

@SchedulingPlugin({ type: 'passthrough-parser', parameters: NONE })
class PassthroughParser {
  readonly suffixes = [];

  parse() {
    const nothing = { model: undefined, cacheSalt: '', maxTokens: undefined, prompts: () => [] };
    return { ...nothing, isStream: false, hasMedia: false };
  }
}

@SchedulingPlugin({ type: 'utilization-detector', parameters: NONE })
class NeverFull {
  saturation(): number {
    return 0;
  }
}

@SchedulingPlugin({ type: 'token-producer', parameters: NONE })
class NoTokens {
  produce(): void {
    // the parser has them
  }
}

@SchedulingPlugin({ type: 'approx-prefix-cache-producer', parameters: NONE })
class NothingCached {
  produce(): void {
    // and so nothing is found
  }
}

/** Counts what was sent out and did not come back, and remembers how requests ended. */
@SchedulingPlugin({ type: 'inflight-load-producer', parameters: NONE })
export class InFlightRecord {
  readonly stage = 'record';
  inFlight = 0;
  firstChunks = 0;
  readonly ends: Termination[] = [];

  produce(): void {
    // it only counts
  }

  before(): void {
    this.inFlight++;
  }

  firstChunk(): void {
    this.firstChunks++;
  }

  ended(_request: SchedulingRequest, how: Termination): void {
    this.inFlight--;
    this.ends.push(how);
  }
}

/** Takes as long as the test wants. */
@SchedulingPlugin({ type: 'slow-producer', parameters: NONE })
export class SlowProducer {
  readonly timeout = 60_000;
  private free: () => void = () => undefined;
  private readonly released = new Promise<void>((resolve) => {
    this.free = resolve;
  });
  isAsked = false;

  release(): void {
    this.free();
  }

  produce(): Promise<void> {
    this.isAsked = true;
    return this.released;
  }
}

/** Says something to Envoy when a request goes out, and when its answer is complete. */
@SchedulingPlugin({ type: 'metadata-writer', parameters: NONE })
class MetadataWriter {
  readonly stage = 'headers';

  before({ metadata }: SchedulingRequest): void {
    metadata.set('example.sent', { zone: 'a' });
    metadata.set('envoy.lb', { 'x-gateway-destination-endpoint': '10.9.9.9:1', canary: true });
  }

  ended({ metadata }: SchedulingRequest): void {
    metadata.set('example.over', { cost: 3 });
  }
}

/** In the places of the real ones: what a test has to see into, or has no use for. */
const STAND_INS: readonly PluginClass<never>[] = [
  GenerateParser,
  InFlightRecord,
  MetadataWriter,
  NeverFull,
  NoTokens,
  NothingCached,
  PassthroughParser,
  SlowProducer,
  WordParser,
];
const TAKEN = new Set(STAND_INS.map((standIn) => pluginMetadata(standIn).type));

export const TEST_PLUGINS: readonly PluginClass<never>[] = [
  ...PLUGINS.filter((plugin) => !TAKEN.has(pluginMetadata(plugin).type)),
  ...STAND_INS,
];

/** One profile that takes any endpoint. */
export const ANY = pickerConfig('plugins: [{type: inflight-load-producer}, {type: max-score-picker}]');

/** Decode pods, and prefill pods where they are worth it: never, for nothing is worth it that is set to 0. */
export const DISAGGREGATED = pickerConfig(`
plugins:
- type: inflight-load-producer
- type: decode-filter
- type: prefill-filter
- type: prefix-based-pd-decider
- {type: disagg-profile-handler, parameters: {deciders: {prefill: prefix-based-pd-decider}}}
schedulingProfiles:
- {name: decode, plugins: [{pluginRef: decode-filter}]}
- {name: prefill, plugins: [{pluginRef: prefill-filter}]}`);

export const ALWAYS_DISAGGREGATED = DISAGGREGATED.replaceAll('prefix-based-pd-decider', 'always-disagg-pd-decider');

/** A picker of a configuration, and the plugins of it that the test looks into. */
export interface TestPicker {
  readonly director: Director;
  readonly endpoints: EndpointStore;
  readonly inFlight: InFlightRecord;
  plugin(name: string): unknown;
}

export function aPicker(config: string, endpoints: readonly Endpoint[]): TestPicker {
  const store = new EndpointStore();
  const warn = (): void => undefined;
  const parts = buildPicker(loadPickerConfig({ text: config }, warn), {
    classes: TEST_PLUGINS,
    endpoints: store,
    warn,
  });
  store.replace(endpoints);
  const plugin = (name: string): unknown => pluginOf(parts, name);
  const inFlight = plugin('inflight-load-producer');
  if (!(inFlight instanceof InFlightRecord)) throw new Error('the configuration has no inflight-load-producer');
  return { director: new Director(parts, store), endpoints: store, inFlight, plugin };
}

export function anEndpoint(name: string, address: string, labels: Readonly<Record<string, string>> = {}): Endpoint {
  return { id: `default/${name}`, namespace: 'default', name, address, port: 8000, labels };
}

export function aPod(role: string, address: string): Endpoint {
  return anEndpoint(`${role}-pod`, address, { 'llm-d.ai/role': role });
}

export function pickerConfig(body: string): string {
  return `apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\ndataLayer: {injectDefaults: false}\n${body}`;
}

function pluginOf({ plugins }: PickerParts, name: string): unknown {
  return plugins.find((made) => made.name === name)?.plugin;
}

function objectOf(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    // what is no object has no members, which is all that is asked
    return JSON.parse(body.toString()) as Readonly<Record<string, unknown>>;
  } catch {
    throw new SchedulingError('BadRequest', 'error unmarshaling request bodyMap: syntax');
  }
}
