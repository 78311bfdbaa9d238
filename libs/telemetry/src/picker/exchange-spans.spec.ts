import { beforeEach, describe, expect, it } from '@jest/globals';
import { AlwaysOffSampler, ParentBasedSampler } from '@opentelemetry/sdk-trace';
import { expose } from '../exposition.ts';
import { SpanRecorder } from '../spans.fixture.ts';
import type { RecordedSpan } from '../spans.fixture.ts';
import { PICKER_SPANS } from './picker-span-catalogue.ts';
import { PICKER_ATTRIBUTES } from './picker-attributes.ts';
import { ATTRIBUTES } from '../attributes.ts';
import { ANY, DISAGGREGATED, RESERVING, WatchedDirector } from './watched-director.fixture.ts';

const TRACE = 'a'.repeat(32);
const PARENT = `00-${TRACE}-${'b'.repeat(16)}-01`;
const IMAGE = [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }];

let recorder: SpanRecorder;
beforeEach(() => {
  recorder = new SpanRecorder();
});

/** Names of spans, each behind the name of its parent. */
function tree(spans: readonly RecordedSpan[]): readonly string[] {
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  return spans.map(({ name, parentId }) => `${names.get(parentId ?? '') ?? ''} > ${name}`).toSorted();
}

function named(name: string): RecordedSpan {
  const [span] = recorder.spans.filter((one) => one.name === name);
  if (span === undefined) throw new Error(`no span ${name}`);
  return span;
}

async function disaggregated(pods: readonly string[], body: object = { model: 'm' }): Promise<void> {
  const director = new WatchedDirector(DISAGGREGATED, { recorder });
  director.has(...pods);
  const { end } = await director.route({ traceparent: PARENT }, body);
  end();
}

describe('the spans of a request', () => {
  it('stand beneath each other as the request went', async () => {
    await disaggregated(['decode-1', 'prefill-1']);
    expect(tree(recorder.of(TRACE))).toEqual(
      [
        ' > gateway.request',
        'gateway.request > request_orchestration',
        ...Array<string>(3).fill('request_orchestration > pick_disagg_profile'),
        ...Array<string>(2).fill('request_orchestration > run_scheduler_profile'),
        ...Array<string>(2).fill('run_scheduler_profile > filter_endpoints'),
        ...Array<string>(2).fill('run_scheduler_profile > llm_d.epp.scoring'),
        'llm_d.epp.scoring > llm_d.epp.scorer.queue-scorer',
        ...Array<string>(2).fill('run_scheduler_profile > pick_endpoints'),
        'request_orchestration > prepare_disaggregation',
      ].toSorted(),
    );
    expect(named('gateway.request')).toMatchObject({ kind: 'SERVER', parentId: 'b'.repeat(16), isError: false });
  });

  it('say of a reservation that it is one, and whose endpoint was told', async () => {
    const director = new WatchedDirector(RESERVING, { recorder });
    director.has('decode-1');
    await director.route({ traceparent: PARENT, prefer: 'reserve-endpoint' });
    expect(named('gateway.request')).toMatchObject({
      isError: false,
      attributes: {
        [PICKER_ATTRIBUTES.outcome]: 'reserved',
        [PICKER_ATTRIBUTES.endpoint]: 'ns/decode-1',
        [ATTRIBUTES.status]: 204,
      },
    });
    expect(named('request_orchestration').isError).toBe(false);
  });

  it('lie within their parents', async () => {
    await disaggregated(['decode-1', 'decode-2', 'prefill-1']);
    const spans = recorder.of(TRACE);
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    for (const { name, parentId, startedAt, endedAt } of spans) {
      const parent = byId.get(parentId ?? '');
      expect({ name, isOver: endedAt >= startedAt }).toEqual({ name, isOver: true });
      if (parent === undefined || parent.name === 'gateway.request') continue;
      expect({ name, isInside: startedAt >= parent.startedAt && endedAt <= parent.endedAt }).toEqual({
        name,
        isInside: true,
      });
    }
  });

  it('say what was left, given and chosen, and nothing of what the request holds', async () => {
    await disaggregated(['decode-1', 'decode-2', 'prefill-1']);
    expect(named('filter_endpoints').attributes).toEqual({
      'llm_d.epp.filter.candidate_endpoints': 3,
      'llm_d.epp.filter.filtered_endpoints': 2,
    });
    expect(named('llm_d.epp.scorer.queue-scorer').attributes).toMatchObject({
      'llm_d.epp.scorer.name': 'by-queue',
      'llm_d.epp.scorer.weight': 2,
      'llm_d.epp.scorer.score.max': 1,
      'llm_d.epp.scorer.endpoints_scored': 2,
    });
    expect(named('pick_endpoints').attributes).toMatchObject({
      'llm_d.epp.picker.candidate_endpoints': 2,
      'llm_d.epp.picker.top_scores': [2],
    });
    expect(JSON.stringify(recorder.spans)).not.toContain('SECRET');
  });

  it('say of each stage whether it has a worker of its own, and why not', async () => {
    await disaggregated(['decode-1', 'prefill-1'], { model: 'm', messages: [{ role: 'user', content: IMAGE }] });
    expect(named('prepare_disaggregation').attributes).toEqual({
      'gen_ai.request.model': 'm',
      'gen_ai.request.id': 'request-1',
      'llm_d.epp.pd.disaggregation_used': true,
      'llm_d.epp.pd.prefill_pod_address': '10.0.0.2',
      'llm_d.epp.pd.prefill_pod_port': '8000',
      'llm_d.epp.encode.disaggregation_used': false,
      'llm_d.epp.encode.reason': 'no_encode_profile_target_endpoints',
    });
  });

  it('say of a stage that nobody asked for that it was not', async () => {
    await disaggregated(['decode-1']);
    expect(named('prepare_disaggregation').attributes).toMatchObject({
      'llm_d.epp.pd.disaggregation_used': false,
      'llm_d.epp.pd.reason': 'no_prefill_profile_target_endpoints',
      'llm_d.epp.encode.reason': 'no_encode_profile_result',
    });
  });

  it('are in error where nobody was found, and all of them end', async () => {
    await disaggregated(['prefill-1']);
    const failed = recorder.of(TRACE).filter(({ isError }) => isError);
    expect(failed.map(({ name }) => name).toSorted()).toEqual([
      'gateway.request',
      'request_orchestration',
      'run_scheduler_profile',
    ]);
    expect(failed.map(({ attributes }) => attributes['error.type'])).toEqual(Array(3).fill('ResourceExhausted'));
    expect(recorder.spans).toHaveLength(recorder.begun);
  });

  it('are in error where the body cannot be read', async () => {
    const director = new WatchedDirector(ANY, { recorder });
    director.has('decode-1');
    await director.route({ traceparent: PARENT }, { messages: 'none' });
    expect(recorder.of(TRACE).map(({ name, isError }) => [name, isError])).toEqual([
      ['gateway.request', true],
      ['request_orchestration', true],
    ]);
  });

  it('are in no error where a conditional request is told that its prompt is cold', async () => {
    const director = new WatchedDirector(ANY, { recorder });
    director.has('decode-1');
    await director.route(
      { traceparent: PARENT, prefer: 'if-available' },
      { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
    );
    expect(named('gateway.request')).toMatchObject({
      isError: false,
      attributes: { 'http.response.status_code': 412 },
    });
    expect(recorder.of(TRACE).filter(({ isError }) => isError)).toEqual([]);
    expect(recorder.spans).toHaveLength(recorder.begun);
  });

  it('give the times of their request exemplars', async () => {
    const director = new WatchedDirector(ANY, { recorder });
    director.has('decode-1');
    const { end } = await director.route({ traceparent: PARENT });
    end();
    const { registry, exemplars } = director.metrics;
    let page = '';
    for await (const piece of expose(registry, exemplars, 'openmetrics')) page += piece;
    for (const name of ['request_duration_seconds', 'scheduler_e2e_duration_seconds']) {
      expect(page).toMatch(new RegExp(`llm_d_epp_${name}_bucket.* # \\{trace_id="${TRACE}"\\}`));
    }
  });

  it('are none of a trace that is not sampled, whose ids go on', async () => {
    const off = new SpanRecorder(new ParentBasedSampler({ root: new AlwaysOffSampler() }));
    const director = new WatchedDirector(DISAGGREGATED, { recorder: off });
    director.has('decode-1', 'prefill-1');
    const { observer, end } = await director.route({ traceparent: PARENT.replace(/01$/, '00') });
    end();
    expect(off.begun).toBe(0);
    expect(observer.propagated().get('traceparent')).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
  });

  it('are those of the catalogue, with its attributes', async () => {
    await disaggregated(['decode-1', 'prefill-1', 'encode-1'], {
      model: 'm',
      messages: [{ role: 'user', content: IMAGE }],
    });
    await disaggregated(['decode-1']);
    const known = new Map<string, ReadonlySet<string>>(
      PICKER_SPANS.map((span) => [span.name, new Set(span.attributes.map(attributeName))]),
    );
    const seen = new Set<string>();
    for (const { name, attributes } of recorder.spans) {
      const entry = name.startsWith('llm_d.epp.scorer.') ? 'llm_d.epp.scorer.<type>' : name;
      seen.add(entry);
      expect(Object.keys(attributes).filter((key) => known.get(entry)?.has(key) !== true)).toEqual([]);
    }
    expect(seen).toEqual(new Set(known.keys()));
  });
});

function attributeName(key: (typeof PICKER_SPANS)[number]['attributes'][number]): string {
  return { ...ATTRIBUTES, ...PICKER_ATTRIBUTES }[key];
}
