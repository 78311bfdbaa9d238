import type { StackPlan } from './stack-plan.ts';

const WHAT: Readonly<Record<string, string>> = {
  gateway: 'send requests here',
  coordinator: 'behind the gateway; /healthz, /readyz',
  metrics: 'the admin page, live, for a browser; /metrics',
  render: 'tokenizer',
  media: '/red.png and /blue.png, to put into requests',
  phases: "Envoy's listener for the coordinator's calls",
  envoy: "Envoy's own: /stats, /config_dump",
  prometheus: 'of coordinator, endpoint picker and workers, with the alerts',
};
const PICKER = 'why this pod: /admin/decisions, /admin/endpoints; /metrics';
const EXT_PROC = 'ext_proc: the gateway asks here';
const WORKER = 'simulated vLLM worker';

/** What runs where. */
export function portTable({ ports, host, pickers }: StackPlan): string {
  const admin = new Set(pickers.map(({ name }) => name));
  const rows = [...ports].map(([part, port]) => {
    const isGrpc = admin.has(part.replace(/-grpc$/, '')) && !admin.has(part);
    const what = isGrpc ? EXT_PROC : admin.has(part) ? PICKER : (WHAT[part] ?? WORKER);
    return { part, url: `${isGrpc ? 'grpc' : 'http'}://${host}:${port}`, what };
  });
  const [parts, urls] = [rows.map(({ part }) => part.length), rows.map(({ url }) => url.length)];
  const line = ({ part, url, what }: (typeof rows)[number]): string =>
    `  ${part.padEnd(Math.max(...parts))}  ${url.padEnd(Math.max(...urls))}  ${what}`;
  return rows.map(line).join('\n');
}

/** Requests to paste. */
export function examples({ url, ports, host, simulator }: StackPlan): string {
  const { model } = simulator;
  const faults = `http://${host}:${ports.get('render')}/simulator/faults`;
  return `
Try it, and send the same again to see the probe hit:

  curl -N ${url}/v1/chat/completions -H 'content-type: application/json' -d '{
    "model": "${model}", "stream": true,
    "messages": [{"role": "user", "content": "Explain in one paragraph what a prefix cache is good for."}]}'

  from openai import OpenAI
  client = OpenAI(base_url="${url}/v1", api_key="none")
  stream = client.chat.completions.create(model="${model}", stream=True,
      messages=[{"role": "user", "content": "Explain in one paragraph what a prefix cache is good for."}])
  for chunk in stream:
      print(chunk.choices[0].delta.content or "", end="", flush=True)

Make something fail, and stop that:

  curl -X PUT ${faults} -d '[{"phase": "decode", "kind": "reset", "after_events": 3}]'
  curl -X DELETE ${faults}
`;
}
