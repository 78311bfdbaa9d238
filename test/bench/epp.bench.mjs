/** Measures what a decision of the endpoint picker costs: `npm run bench:epp`. Reads the build, so build first. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Director, EndpointStore, PLUGINS, buildPicker, loadPickerConfig } from '#scheduling';
import { spread } from './measure/statistics.mjs';
import { aligned, duration, significant } from './report/figures.mjs';

const OUT = fileURLToPath(new URL('../../dist/bench/', import.meta.url));
const ENDPOINTS = [10, 100, 500];
const TOKENS = [1_000, 10_000, 100_000];
/** Bytes that the estimate takes for a token. */
const BYTES = 4;
/** Part of the prompts that begin as another one did. */
const SHARED = 0.5;
/** The promise: milliseconds at the 99th percentile, with 100 endpoints and 10k tokens. */
const TARGET = { endpoints: 100, tokens: 10_000, p99: 5 };
/** By how much the cost of a decision may grow beyond endpoints × tokens. */
const GROWTH = 1.5;

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

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '3' }, help: { type: 'boolean', default: false } },
});
if (values.help) process.stdout.write('node test/bench/epp.bench.mjs [--seconds S]   (npm run build first; 3)\n');
else process.exitCode = await main(Number(values.seconds));

async function main(seconds) {
  const rows = [];
  for (const endpoints of ENDPOINTS) {
    for (const tokens of TOKENS) rows.push(await measured(endpoints, tokens, seconds));
  }
  const head = ['endpoints', 'tokens', 'decisions/s', 'CPU', 'p50 ms', 'p99 ms', 'longest ms'];
  const cells = rows.map((row) => [
    ...[row.endpoints, row.tokens].map((value) => value.toLocaleString('en')),
    significant(row.perSecond),
    duration(row.cpu),
    ...[row.p50, row.p99, row.longest].map(significant),
  ]);
  process.stdout.write(`${aligned([head, ...cells], 0)}\n\n`);
  mkdirSync(OUT, { recursive: true });
  writeFileSync(`${OUT}epp.json`, `${JSON.stringify(rows, null, 1)}\n`);
  const problems = judged(rows);
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  return problems.length === 0 ? 0 : 1;
}

async function measured(count, tokens, seconds) {
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

/** What is not as promised. */
function judged(rows) {
  const find = (endpoints, tokens) => rows.find((row) => row.endpoints === endpoints && row.tokens === tokens);
  const promised = find(TARGET.endpoints, TARGET.tokens);
  const problems =
    promised.p99 <= TARGET.p99
      ? []
      : [
          `p99 with ${TARGET.endpoints} endpoints and ${TARGET.tokens} tokens is ${significant(promised.p99)} ms, not ${TARGET.p99}`,
        ];
  const [small, large] = [find(100, 10_000), find(500, 100_000)];
  const growth = large.cpu / small.cpu / ((500 * 100_000) / (100 * 10_000));
  if (growth > GROWTH) problems.push(`the cost grows ${significant(growth)} times as fast as endpoints × tokens`);
  return problems;
}
