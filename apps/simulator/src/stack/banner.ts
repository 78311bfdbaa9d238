import type { StackPlan } from './stack-plan.ts';

const WHAT: Readonly<Record<string, string>> = {
  gateway: 'send requests here',
  coordinator: 'behind the gateway; /healthz, /readyz',
  metrics: 'the admin page, live, for a browser; /metrics',
  render: 'tokenizer',
  media: '/red.png and /blue.png, to put into requests',
  prometheus: 'of the coordinator and the workers, with the alerts',
};

/** What runs where. */
export function portTable({ ports, simulator }: StackPlan): string {
  const rows = [...ports].map(([part, port]) => {
    return `  ${part.padEnd(12)} http://${simulator.host}:${port}   ${WHAT[part] ?? 'simulated vLLM worker'}`;
  });
  return rows.join('\n');
}

/** Requests to paste. */
export function examples({ ports, simulator }: StackPlan): string {
  const base = `http://${simulator.host}:${ports.get('gateway')}`;
  const { model } = simulator;
  return `
Try it, and send the same again to see the probe hit:

  curl -N ${base}/v1/chat/completions -H 'content-type: application/json' -d '{
    "model": "${model}", "stream": true,
    "messages": [{"role": "user", "content": "Explain in one paragraph what a prefix cache is good for."}]}'

  from openai import OpenAI
  client = OpenAI(base_url="${base}/v1", api_key="none")
  stream = client.chat.completions.create(model="${model}", stream=True,
      messages=[{"role": "user", "content": "Explain in one paragraph what a prefix cache is good for."}])
  for chunk in stream:
      print(chunk.choices[0].delta.content or "", end="", flush=True)

Make something fail, and stop that:

  curl -X PUT ${base}/simulator/faults -d '[{"phase": "decode", "kind": "reset", "after_events": 3}]'
  curl -X DELETE ${base}/simulator/faults
`;
}
