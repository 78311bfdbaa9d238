import { Director, EndpointStore, PLUGINS, buildPicker, loadPickerConfig } from '#scheduling';
import { spread } from './statistics.mjs';

/** Bytes that the estimate takes for a token. */
const BYTES = 4;
/** Part of the prompts that begin as another one did. */
const SHARED = 0.5;

/** The coordinator's picker, one for all phases. */
const CONFIG = `
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: header-profile-handler
- type: prefill-filter
- type: decode-filter
- type: approx-prefix-cache-producer
- type: inflight-load-producer
- type: prefix-cache-scorer
- type: queue-scorer
- type: kv-cache-utilization-scorer
- type: max-score-picker
- type: prefix-based-pd-decider
  parameters: {nonCachedTokens: 16}
schedulingProfiles:
- {name: prefill, plugins: [{pluginRef: prefill-filter}, {pluginRef: prefix-cache-scorer, weight: 2}, {pluginRef: queue-scorer}]}
- {name: decode, plugins: [{pluginRef: decode-filter}, {pluginRef: prefix-cache-scorer, weight: 2}, {pluginRef: queue-scorer}, {pluginRef: kv-cache-utilization-scorer}]}
`;

/** What a decision costs in this process, without the proxy: microseconds of CPU, and times in milliseconds. */
export async function measuredDecisions(count, tokens, seconds) {
  const endpoints = storeOf(count);
  const config = loadPickerConfig({ text: CONFIG }, () => undefined);
  const director = new Director(buildPicker(config, { classes: PLUGINS, endpoints, warn: () => undefined }), endpoints);
  const bodies = promptBodies(tokens);
  const end = performance.now() + seconds * 1_000;
  const warm = performance.now() + (seconds * 1_000) / 3;
  const times = [];
  let cpu = process.cpuUsage();
  for (let turn = 0; performance.now() < end; turn++) {
    const from = performance.now();
    const decision = await director.route({
      id: `request-${turn}`,
      path: '/v1/chat/completions',
      headers: new Map([['epp-profile', turn % 2 === 0 ? 'prefill' : 'decode']]),
      body: bodies[turn % bodies.length],
      subset: undefined,
    });
    const now = performance.now();
    director.firstChunk(decision);
    director.ended(decision, 'natural');
    if (now < warm) cpu = process.cpuUsage();
    else times.push(now - from);
  }
  const { user, system } = process.cpuUsage(cpu);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  return {
    endpoints: count,
    tokens,
    perSecond: times.length / ((seconds * 2) / 3),
    cpu: (user + system) / times.length,
    p50: at(0.5),
    p99: at(0.99),
    longest: spread(times).high,
  };
}

function storeOf(count) {
  const store = new EndpointStore();
  const roles = ['prefill', 'decode'];
  store.replace(
    Array.from({ length: count }, (_, index) => ({
      id: `default/pod-${index}`,
      namespace: 'default',
      name: `pod-${index}`,
      address: `10.0.${index >> 8}.${index & 255}`,
      port: 8000,
      labels: { 'llm-d.ai/role': roles[index % 2] },
    })),
  );
  for (const [index, { endpoint }] of store.all().entries()) {
    store.observe(endpoint, { waiting: index % 7, running: index % 11, kvUsage: (index % 10) / 10, updatedAt: 0 });
  }
  return store;
}

/** Prompts of which some begin alike, as conversations do. */
function promptBodies(tokens) {
  return Array.from({ length: 16 }, (_, index) => {
    const shared = Math.floor(tokens * BYTES * (index % 2 === 0 ? SHARED : 0));
    const text = 'x'.repeat(shared) + `${index} words of its own. `.repeat(tokens).slice(0, tokens * BYTES - shared);
    return Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: text }], stream: true }));
  });
}
