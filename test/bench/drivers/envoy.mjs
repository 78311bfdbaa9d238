/** Plays what stands around an endpoint picker: the proxy that asks it over `ext_proc`, and the pods whose metrics it reads. */
import { credentials, makeGenericClientConstructor } from '@grpc/grpc-js';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { EXT_PROC_SERVICE, loadProtos } from '#ext-proc';
import { serve } from './rpc.mjs';

const ExtProcClient = makeGenericClientConstructor(loadProtos().externalProcessor, EXT_PROC_SERVICE);
/** Bytes that Envoy has of a body at a time. */
const PIECE = 32 * 1024;
const EVENT = Buffer.from('data: {"choices":[{"index":0,"delta":{"content":"word "}}]}\n\n');
const PROFILES = ['prefill', 'decode'];
const PAGE = metricsPage();

const pods = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(PAGE));

serve({
  /** Pods on every address of the machine. @returns the port of all of them */
  listen: () => new Promise((resolve) => pods.listen(0, () => resolve(pods.address().port))),
  exchanges,
});

/**
 * Requests one after the other, several at a time; events of an answer follow one by one, the next when the one before is through.
 * @param load `{ port, atATime, seconds, bytes, events }`: bytes of a prompt, each another one
 * @returns how many were completed
 */
async function exchanges({ port, atATime, seconds, bytes, events }) {
  const client = new ExtProcClient(`127.0.0.1:${port}`, credentials.createInsecure());
  const end = performance.now() + seconds * 1_000;
  let completed = 0;
  const one = async (index) => {
    for (let turn = index; performance.now() < end; turn++) {
      await exchange(client, PROFILES[turn % PROFILES.length], promptOf(bytes), events);
      completed++;
    }
  };
  await Promise.all(Array.from({ length: atATime }, (_, index) => one(index)));
  client.close();
  return completed;
}

async function exchange(client, profile, body, events) {
  const call = client.Process();
  const replies = repliesOf(call);
  call.write({ request_headers: headers({ ':path': '/v1/chat/completions', 'epp-profile': profile }) });
  for (let at = 0; at < body.length; at += PIECE) {
    const isLast = at + PIECE >= body.length;
    call.write({ request_body: { body: body.subarray(at, at + PIECE), end_of_stream: isLast } });
  }
  await replies.until('request_body', isEnd);
  call.write({ response_headers: headers({ ':status': '200', 'content-type': 'text/event-stream' }) });
  await replies.until('response_headers');
  for (let left = events; left > 0; left--) {
    call.write({ response_body: { body: EVENT, end_of_stream: left === 1 } });
    await replies.until('response_body');
  }
  call.end();
  await replies.end;
}

/** What the picker says, as it is waited for. */
function repliesOf(call) {
  const said = [];
  let wake = () => undefined;
  const end = new Promise((resolve, reject) => {
    call.on('data', (reply) => {
      said.push(reply);
      wake();
    });
    call.on('end', resolve).on('error', reject);
  });
  end.catch(() => wake());
  let isOver = false;
  void end.catch(() => undefined).finally(() => (isOver = true));
  return {
    end,
    async until(part, isMeant = () => true) {
      for (;;) {
        const reply = said.shift();
        if (reply?.immediate_response !== undefined) throw new Error('the picker answered in the place of a pod');
        if (reply?.[part] !== undefined && isMeant(reply[part])) return;
        if (reply !== undefined) continue;
        if (isOver) return void (await end);
        await new Promise((resolve) => (wake = resolve));
      }
    },
  };
}

function isEnd({ response }) {
  return response.body_mutation.streamed_response.end_of_stream;
}

function headers(fields) {
  const pairs = Object.entries(fields).map(([key, value]) => ({ key, raw_value: Buffer.from(value) }));
  return { headers: { headers: pairs }, end_of_stream: false };
}

/** Nothing of it is in another one, so that each is new to every pod. */
function promptOf(bytes) {
  const content = randomBytes(Math.ceil(bytes / 2))
    .toString('hex')
    .slice(0, bytes);
  return Buffer.from(`{"model":"m","stream":true,"messages":[{"role":"user","content":"${content}"}]}`);
}

/** As long as vLLM's own, most of it histograms that a picker passes over. */
function metricsPage() {
  const buckets = Array.from({ length: 400 }, (_, index) => {
    const labels = `engine="0",model_name="m",le="${index}.0"`;
    return `vllm:time_to_first_token_seconds_bucket{${labels}} ${index}.0\n`;
  });
  const gauges = ['num_requests_running', 'num_requests_waiting', 'kv_cache_usage_perc'];
  const lines = gauges.map((name) => `# TYPE vllm:${name} gauge\nvllm:${name}{engine="0",model_name="m"} 0\n`);
  return Buffer.from([...buckets, ...lines].join(''));
}
