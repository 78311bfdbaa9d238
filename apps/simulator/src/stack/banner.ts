import type { StackPlan } from './stack-plan.ts';

const WHAT: Readonly<Record<string, string>> = {
  gateway: 'send requests here',
  coordinator: 'behind the gateway; /healthz, /readyz',
  metrics: 'the admin page, live, for a browser; /metrics',
  render: 'tokenizer',
  media: '/red.png and /blue.png, to put into requests',
  phases: "Envoy's listener for the coordinator's calls",
  envoy: "Envoy's own: /stats, /config_dump",
  redis: 'where queued requests lie',
  'async-worker': 'takes them from the queue; /readyz, /admin/queues, /admin/dead-letters?queue=request-sortedset',
  'async-worker-metrics': 'what the async worker counts',
  bootstrap: 'which engines the prefill workers have: /query',
  prometheus: 'of everything that has metrics, with the alerts',
};
const PICKER = 'why this pod: /admin/decisions, /admin/endpoints; /metrics';
const EXT_PROC = 'ext_proc: the gateway asks here';
const WORKER = 'simulated vLLM worker';
const SIDECAR = 'decode sidecar, before a decode worker';
const SIDECAR_METRICS = 'what the sidecar counts; the engine has its own';

/** What runs where. */
export function portTable(plan: StackPlan): string {
  const rows = [...plan.ports].map(([part, port]) => {
    const what = whatIs(part, plan);
    return { part, url: `${schemeOf(what)}://${plan.host}:${port}${pathOf(what)}`, what };
  });
  const [parts, urls] = [rows.map(({ part }) => part.length), rows.map(({ url }) => url.length)];
  const line = ({ part, url, what }: (typeof rows)[number]): string =>
    `  ${part.padEnd(Math.max(...parts))}  ${url.padEnd(Math.max(...urls))}  ${what}`;
  return rows.map(line).join('\n');
}

function whatIs(part: string, { pickers, sidecars }: StackPlan): string {
  const isOf = (plans: readonly { readonly name: string }[], name: string): boolean =>
    plans.some((plan) => plan.name === name);
  if (isOf(pickers, part)) return PICKER;
  if (isOf(pickers, part.replace(/-grpc$/, ''))) return EXT_PROC;
  if (isOf(sidecars, part)) return SIDECAR;
  return isOf(sidecars, part.replace(/-metrics$/, '')) ? SIDECAR_METRICS : (WHAT[part] ?? WORKER);
}

function schemeOf(what: string): string {
  if (what === WHAT['redis']) return 'redis';
  return what === EXT_PROC ? 'grpc' : 'http';
}

function pathOf(what: string): string {
  return what === SIDECAR_METRICS || what === WHAT['async-worker-metrics'] ? '/metrics' : '';
}

/** Requests to paste. */
export function examples({ url, ports, host, simulator, queue }: StackPlan): string {
  const { model } = simulator;
  const faults = `http://${host}:${ports.get('decode-1') ?? ports.get('media')}/simulator/faults`;
  return `
Try it, and send the same again to see it come from the cache:

  curl -N ${url}/v1/chat/completions -H 'content-type: application/json' -d '{
    "model": "${model}", "stream": true,
    "messages": [{"role": "user", "content": "Explain in one paragraph what a prefix cache is good for."}]}'

  from openai import OpenAI
  client = OpenAI(base_url="${url}/v1", api_key="none")
  stream = client.chat.completions.create(model="${model}", stream=True,
      messages=[{"role": "user", "content": "Explain in one paragraph what a prefix cache is good for."}])
  for chunk in stream:
      print(chunk.choices[0].delta.content or "", end="", flush=True)
${queue === undefined ? '' : queued(url, model)}
Make something fail, and stop that:

  curl -X PUT ${faults} -d '[{"phase": "decode", "kind": "reset", "after_events": 3}]'
  curl -X DELETE ${faults}
`;
}

function queued(url: string, model: string): string {
  return `
Queue one, and fetch its result; DELETE in the place of GET cancels it:

  curl ${url}/v1/chat/completions -H 'content-type: application/json' \\
    -H 'x-llm-d-async-mode: enqueue' -H 'x-request-id: job-1' -d '{
    "model": "${model}", "messages": [{"role": "user", "content": "There is no hurry."}]}'
  curl -i ${url}/v1/requests/job-1
`;
}
