import { describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ANY, DISAGGREGATED, RESERVING, WatchedDirector } from './watched-director.fixture.ts';

function director(plugins: string, ...pods: readonly string[]): WatchedDirector {
  const watched = new WatchedDirector(plugins);
  watched.has(...pods);
  return watched;
}

const SUCCESS = 'scheduler_attempts_total{status="success"';
const POD = 'endpoint_name="decode-1",namespace="ns",port="8000"';
const PRODUCER = 'namespace="ns",producer_name="inflight-load-producer"';
const DEFAULT = 'fairness_id="default-flow",priority="0"';

describe('the counts of a picker', () => {
  it('have one attempt for each scheduling cycle, by whom it chose', async () => {
    const watched = director(ANY, 'decode-1');
    await watched.route();
    await watched.route();
    expect(await watched.samples('scheduler_attempts_total{')).toEqual([`${SUCCESS},target_model_name="m",${POD}} 2`]);
    expect(await watched.samples('scheduler_e2e_duration_seconds_count')).toEqual([
      'scheduler_e2e_duration_seconds_count 2',
    ]);
  });

  it('have an attempt of its own for a reservation, and no request of it', async () => {
    const watched = director(RESERVING, 'decode-1');
    await watched.route({ prefer: 'reserve-endpoint' });
    const reserved = `scheduler_attempts_total{status="reserved",target_model_name="m",${POD}} 1`;
    expect(await watched.samples('scheduler_attempts_total{')).toEqual([reserved]);
    expect(await watched.samples('request_total{')).toEqual([]);
    expect(await watched.samples('request_error_total{')).toEqual([]);
    expect(await watched.samples('request_running{')).toEqual([]);
    expect(await watched.samples('inflight_requests{')).toEqual([
      `inflight_requests{endpoint_name="decode-1",${PRODUCER},${DEFAULT}} 0`,
    ]);
    expect(await watched.samples('request_processing_duration_seconds_count')).toEqual([
      'request_processing_duration_seconds_count 1',
    ]);
    watched.has('decode-2');
    expect(await watched.samples('scheduler_attempts_total{')).toEqual([]);
  });

  it('have no reservation where a gate turned the request away', async () => {
    const gate = '\n- {type: prefix-based-pd-decider, parameters: {nonCachedTokens: 1}}';
    const watched = director(RESERVING + gate, 'decode-1');
    const { decision } = await watched.route({ prefer: 'reserve-endpoint, if-available' });
    expect(decision).toBeUndefined();
    expect(await watched.samples('scheduler_attempts_total{')).toEqual([`${SUCCESS},target_model_name="m",${POD}} 1`]);
  });

  it('have no stages of a reservation: they are counted of the request itself', async () => {
    const watched = director(DISAGGREGATED.replace('\n-', '\n- {type: reserve-endpoint}\n-'), 'decode-1');
    await watched.route({ prefer: 'reserve-endpoint' });
    expect(await watched.samples('disagg_decision_total{')).toEqual([]);
  });

  it('have a failed attempt where nobody was chosen, and none of a request that got no cycle', async () => {
    const watched = director(DISAGGREGATED, 'prefill-1');
    await watched.route();
    await watched.route({}, { messages: 'none' });
    expect(await watched.samples('scheduler_attempts_total{')).toEqual([
      'scheduler_attempts_total{status="failure",target_model_name="m",endpoint_name="",namespace="",port=""} 1',
    ]);
    expect(await watched.samples('disagg_decision_total{')).toEqual([]);
  });

  it('count an error by the model that was asked for', async () => {
    const watched = director(ANY);
    await watched.route();
    expect(await watched.samples('request_error_total{')).toEqual([
      `request_error_total{model_name="m",target_model_name="m",${DEFAULT},error_code="ServiceUnavailable"} 1`,
    ]);
  });

  it('lose the attempts of an endpoint that has gone', async () => {
    const watched = director(ANY, 'decode-1');
    await watched.route();
    watched.has('decode-2');
    expect(await watched.samples('scheduler_attempts_total{')).toEqual([]);
  });

  it.each([
    { pods: ['decode-1'], media: false, decision: 'decode-only' },
    { pods: ['decode-1', 'prefill-1'], media: false, decision: 'prefill-decode' },
    { pods: ['decode-1', 'encode-1'], media: true, decision: 'encode-decode' },
    { pods: ['decode-1', 'prefill-1', 'encode-1'], media: true, decision: 'encode-prefill-decode' },
  ])('say $decision of $pods, media: $media', async ({ pods, media, decision }) => {
    const watched = director(DISAGGREGATED, ...pods);
    const part = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    await watched.route({}, { model: 'm', messages: [{ role: 'user', content: media ? [part] : 'text' }] });
    const handler = 'plugin_name="disagg-profile-handler",plugin_type="disagg-profile-handler"';
    expect(await watched.samples('disagg_decision_total{')).toEqual([
      `disagg_decision_total{${handler},model_name="m",decision_type="${decision}"} 1`,
    ]);
  });

  it('show what is in flight to each endpoint by its flow, and nothing of what is over', async () => {
    const watched = director(ANY, 'decode-1');
    const own = await watched.route({ 'x-llm-d-inference-fairness-id': 'tenant' });
    const idle = `inflight_requests{endpoint_name="decode-1",${PRODUCER},${DEFAULT}} 0`;
    expect(await watched.samples('inflight_requests{')).toEqual([
      idle,
      `inflight_requests{endpoint_name="decode-1",${PRODUCER},fairness_id="tenant",priority="0"} 1`,
    ]);
    own.end();
    expect(await watched.samples('inflight_requests{')).toEqual([idle]);
    expect(await watched.samples('inflight_tokens{')).toHaveLength(1);
  });

  it('lose what is in flight to an endpoint that has gone', async () => {
    const watched = director(ANY, 'decode-1');
    const { end } = await watched.route();
    await watched.samples('inflight_requests{');
    watched.has('decode-2');
    expect(await watched.samples('inflight_requests{')).toEqual([
      `inflight_requests{endpoint_name="decode-2",${PRODUCER},${DEFAULT}} 0`,
    ]);
    end();
  });

  it('keep the series of flows and models that a client makes up within a bound', async () => {
    const watched = director(ANY, 'decode-1');
    const ends: (() => void)[] = [];
    for (let index = 0; index < 1_100; index++) {
      const { end } = await watched.route(
        { 'x-llm-d-inference-fairness-id': `flow-${index}` },
        { model: `m-${index}` },
      );
      ends.push(end);
    }
    // the default one and `other` beside a thousand
    expect((await watched.samples('inflight_requests{')).length).toBeLessThanOrEqual(1_002);
    const other = await watched.samples(`inflight_requests{endpoint_name="decode-1",${PRODUCER},fairness_id="other"`);
    expect(other.map((sample) => sample.split(' ').at(-1))).toEqual(['100']);
    expect((await watched.samples('scheduler_attempts_total{')).length).toBeLessThanOrEqual(1_001);
    for (const end of ends) end();
    expect(await watched.samples('inflight_requests{')).toHaveLength(1);
  });

  it('take the time for the chunks of a stream, and not for what lies between them', async () => {
    const watched = director(ANY, 'decode-1');
    const { observer, end } = await watched.route({}, { model: 'm', stream: true });
    observer.responseHeaders({ status: 200, served: undefined, isStream: true });
    const begun = performance.now();
    observer.chunk(1);
    observer.handled();
    const from = performance.now();
    while (performance.now() - from < 5) await nextTurn();
    const waited = performance.now() - from;
    observer.chunk(1);
    end();
    const all = performance.now() - begun;
    const [sum = ''] = await watched.samples('response_processing_duration_seconds_sum');
    expect(Number(sum.split(' ')[1]) * 1000).toBeLessThanOrEqual(all - waited);
  });

  it('have a request that its client left while it was placed', async () => {
    const watched = director(ANY, 'decode-1');
    const { observer } = await watched.route();
    observer.ended('client_disconnect');
    expect(await watched.samples('extproc_streams_total{')).toEqual(['extproc_streams_total{code="Canceled"} 1']);
    expect(await watched.samples('request_processing_duration_seconds_count')).toEqual([
      'request_processing_duration_seconds_count 1',
    ]);
  });
});
