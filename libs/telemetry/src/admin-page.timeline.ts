import { PARTS } from './label-values.ts';

/**
 * How the page draws a request: its calls as bars, small in the list and at length when it is opened. Every value goes in as text or
 * as a number of a style: models, ids and paths come from clients. A template, so free of back ticks.
 */
export const PAGE_TIMELINE = String.raw`
const PHASES = ${JSON.stringify(PARTS)};
const MOST_LANES = 6;

/** @param content texts and nodes; a text is never read as markup */
function element(tag, className, ...content) {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  made.append(...content.filter((part) => part !== undefined));
  return made;
}

function time(ms) {
  if (ms === undefined) return '–';
  if (ms < 10) return ms.toFixed(1) + ' ms';
  if (ms < 1000) return Math.round(ms) + ' ms';
  if (ms < 60000) return (ms / 1000).toFixed(2) + ' s';
  return Math.floor(ms / 60000) + ' min ' + Math.round((ms % 60000) / 1000) + ' s';
}

function percent(part, whole) {
  return whole > 0 ? Math.round((100 * part) / whole) + ' %' : '–';
}

/** Colour of a call, by whom it went to. */
function phaseOf(upstream) {
  const phase = { 'conditional-decode': 'probe', 'reserve-endpoint': 'prefill' }[upstream] ?? upstream;
  return PHASES.includes(phase) ? phase : 'other';
}

/** A 412 of the probe is an answer like any other. */
function isFailed(call) {
  return call.error !== undefined || (call.status >= 400 && !(call.status === 412 && call.upstream === 'conditional-decode'));
}

function legend(box) {
  box.replaceChildren(...PHASES.map((phase) => element('span', 'key ' + phase, phase)));
}

function place(bar, from, to, span) {
  bar.style.left = (100 * Math.min(from, span)) / span + '%';
  bar.style.width = (100 * Math.max(0, Math.min(to, span) - from)) / span + '%';
  return bar;
}

/** A call as bars: pale while its answer is awaited, full while it comes in. */
function callBars(call, now, span) {
  const end = call.to_ms ?? now;
  // a download tells no head: it is shown as coming in all the time
  const head = Math.min(call.head_ms ?? (call.to_ms === undefined ? end : call.from_ms), end);
  const kind = 'bar ' + phaseOf(call.upstream) + (isFailed(call) ? ' failed' : '');
  const isOpen = call.to_ms === undefined || end > span;
  const bars = [];
  if (call.from_ms > span) return bars;
  if (head > call.from_ms) bars.push(place(element('span', kind + ' waiting'), call.from_ms, head, span));
  if (head < span && end > head) bars.push(place(element('span', kind + (isOpen ? ' open' : '')), head, end, span));
  return bars;
}

/** All calls of a request in one strip; those that overlap visibly lie in lanes of their own. */
function strip(request, span) {
  const box = element('span', 'bars');
  const lanes = [];
  const overlap = span / 50;
  const placed = request.calls.toSorted((a, b) => a.from_ms - b.from_ms).map((call) => {
    const free = lanes.findIndex((until) => until <= call.from_ms + overlap);
    const lane = free >= 0 ? free : Math.min(lanes.length, MOST_LANES - 1);
    lanes[lane] = Math.max(lanes[lane] ?? 0, call.to_ms ?? Infinity);
    return { call, lane };
  });
  for (const { call, lane } of placed) {
    for (const bar of callBars(call, request.duration_ms, span)) {
      bar.style.top = (100 * lane) / lanes.length + '%';
      bar.style.height = 100 / lanes.length + '%';
      box.append(bar);
    }
  }
  box.title = request.calls.map((call) => call.step + ' ' + time((call.to_ms ?? request.duration_ms) - call.from_ms)).join(', ');
  return box;
}

/** One word for how it went, with the status where there is one. */
function mark(request) {
  const { outcome, status } = request;
  const kind = outcome === undefined ? 'running' : outcome === 'completed' ? 'good' : 'bad';
  const word = outcome === undefined ? 'running' : outcome.replaceAll('_', ' ');
  return element('span', 'mark ' + kind, status === undefined ? word : status + ' ' + word);
}

function facts(request) {
  const list = element('dl', 'facts');
  const add = (name, value, kind = '') => {
    if (value === undefined || value === '') return;
    list.append(element('div', kind, element('dt', '', name), element('dd', kind.replace('wide', 'mono'), String(value))));
  };
  const tokens = [request.input_tokens, request.output_tokens].map((count) => count ?? '–').join(' → ');
  add('outcome', (request.status ?? '') + ' ' + (request.outcome ?? 'running'), isBad(request) ? 'bad' : '');
  add('error code', request.error_code, 'bad');
  add('model', request.model);
  add('route', request.route + (request.stream ? ', streamed' : ''));
  add('execution path', request.execution_path);
  add('time to first token', request.time_to_first_token_ms === undefined ? undefined : time(request.time_to_first_token_ms));
  add('duration', time(request.duration_ms));
  add('tokens in → out', tokens);
  add('cached tokens', request.cached_tokens);
  add('encode width', request.encode_width || undefined);
  add('upstream attempts', request.upstream_attempts);
  add('finish reason', (request.finish_reasons ?? []).join(', '));
  add('body', request.body_bytes === undefined ? undefined : request.body_bytes.toLocaleString() + ' bytes');
  add('started', request.started.replace('T', ' ').replace('Z', ' UTC'), 'wide');
  add('trace id', request.trace_id, 'wide');
  return list;
}

function isBad({ outcome }) {
  return outcome !== undefined && outcome !== 'completed';
}

/** The parts that add up to the time to first token, or to the whole of a request that had none. */
function parts({ parts_ms: times, time_to_first_token_ms: first }) {
  const entries = PHASES.filter((phase) => times[phase] > 0).map((phase) => [phase, times[phase]]);
  const total = entries.reduce((sum, [, ms]) => sum + ms, 0);
  const bar = element('div', 'parts', ...entries.map(([phase, ms]) => {
    const part = element('span', phase);
    part.style.flex = ms + ' 0 0';
    return part;
  }));
  const keys = entries.map(([phase, ms]) => element('span', 'key ' + phase, phase + ' ' + time(ms) + ' · ' + percent(ms, total)));
  const heading = (first === undefined ? 'Where the time went: ' : 'Time to first token: ') + time(total);
  return [element('h3', '', heading), bar, element('div', 'legend', ...keys)];
}

function line(kind, name, bars, span) {
  const label = element('span', 'name', name);
  label.title = name;
  return element('div', 'line ' + kind, label, element('span', 'lane', ...bars), element('span', 'span', span));
}

function callName(call) {
  const how = call.error ?? call.status;
  return call.step + (call.attempt > 0 ? ', try ' + (call.attempt + 1) : '') + (how === undefined ? '' : ' · ' + how);
}

/** Steps in their order, each with its calls beneath; calls of no step come last. */
function timeline(request) {
  const span = Math.max(request.duration_ms, 1e-3);
  const rest = new Set(request.calls);
  const lines = [];
  const callLine = (call) => {
    const took = (call.to_ms ?? request.duration_ms) - call.from_ms;
    const made = line('call', callName(call), callBars(call, request.duration_ms, span), time(took));
    if (isFailed(call)) made.querySelector('.name').classList.add('bad-text');
    return made;
  };
  for (const { step, outcome, from_ms: from, to_ms: to } of request.steps) {
    const end = to ?? request.duration_ms;
    const how = outcome === undefined || outcome === 'next' || outcome === 'respond' ? '' : ' · ' + outcome;
    lines.push(line('step', step + how, [place(element('span', 'bar'), from, end, span)], time(end - from)));
    for (const call of rest) {
      const own = call.upstream === 'media' ? 'replace-media-urls' : call.step.replace(/\[.*$/, '');
      if (own !== step || call.from_ms < from || call.from_ms > end) continue;
      rest.delete(call);
      lines.push(callLine(call));
    }
  }
  lines.push(...[...rest].map(callLine));
  const first = request.time_to_first_token_ms;
  if (first !== undefined) {
    for (const made of lines) {
      const rule = element('span', 'first-token');
      rule.style.left = (100 * first) / span + '%';
      made.querySelector('.lane').append(rule);
    }
  }
  const ticks = ['0', time(span / 2), time(span)].map((text) => element('span', '', text));
  const axis = element('div', 'line axis', element('span', 'name', ''), element('span', 'lane', ...ticks), element('span', 'span', ''));
  const heading = 'Steps and calls' + (first === undefined ? '' : '; the dashed line is the first token');
  return [element('h3', '', heading), axis, ...lines];
}
`;
