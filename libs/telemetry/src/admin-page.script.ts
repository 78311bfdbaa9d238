import { KEPT_REQUESTS } from './flight-recorder.ts';

/**
 * What the page does: asks the listener once a second, more seldom while it does not answer, and not at all while nobody looks. Runs
 * after the other scripts, in the same block. A template, so free of back ticks.
 */
export const PAGE_SCRIPT = String.raw`
const PERIOD = 1000;
const LONGEST_WAIT = 30000;
const ANSWER_WITHIN = 5000;
const ROWS = 40;
/** Requests that "slowest" and "failed" are taken from: all that are kept. */
const KEPT = ${KEPT_REQUESTS};
const TOKEN = 'admin-token';

const rows = new Map();
let wait = PERIOD;
let timer;
let isAsking = false;
let listed = { in_flight: [], finished: [] };

async function read(path) {
  const token = sessionStorage.getItem(TOKEN);
  const response = await fetch(path, {
    headers: token === null ? {} : { authorization: 'Bearer ' + token },
    cache: 'no-store',
    signal: AbortSignal.timeout(ANSWER_WITHIN),
  });
  if (response.ok) return response.json();
  const body = await response.json().catch(() => undefined);
  const said = String(body?.error?.message ?? '').replace(/ \(request_id: .*$/, '');
  throw Object.assign(new Error('HTTP ' + response.status + (said === '' ? '' : ', ' + said)), { status: response.status });
}

async function ask() {
  if (isAsking) return;
  isAsking = true;
  clearTimeout(timer);
  try {
    const wanted = byId('view').value === 'latest' ? ROWS : KEPT;
    const opened = openedId();
    const [status, requests, found] = await Promise.all([
      read('admin/status'),
      byId('hold').checked ? listed : read('admin/requests?timelines=' + wanted),
      opened === '' ? undefined : read('admin/requests/' + encodeURIComponent(opened)).catch(ignoreGone),
    ]);
    wait = PERIOD;
    listed = requests;
    showStatus(status);
    void askQueues(status);
    showRows();
    if (opened === openedId()) showOpened(found?.requests);
    byId('token').hidden = true;
    live('up', 'live');
  } catch (error) {
    wait = Math.min(2 * wait, LONGEST_WAIT);
    byId('token').hidden = error.status !== 401;
    live('down', error.status === 401 ? 'an admin token is needed' : reason(error) + '; again in ' + wait / 1000 + ' s');
  } finally {
    isAsking = false;
    if (!document.hidden) timer = setTimeout(ask, wait);
  }
}

/** A request that is not kept any more stays as it was shown. */
function ignoreGone(error) {
  if (error.status === 404) return undefined;
  throw error;
}

function reason(error) {
  return error.status === undefined ? 'no answer' : error.message;
}

function live(kind, text) {
  const box = byId('live');
  box.className = kind;
  if (box.textContent !== text) box.textContent = text;
}

function chosen() {
  const every = listed.in_flight.concat(listed.finished);
  const view = byId('view').value;
  if (view === 'failed') return every.filter(isBad);
  if (view === 'latest') return every;
  const slowness = (request) => request.time_to_first_token_ms ?? request.duration_ms;
  return every.toSorted((a, b) => slowness(b) - slowness(a));
}

function showRows() {
  const shown = chosen().slice(0, ROWS);
  const scale = byId('scale').value;
  const longest = Math.max(1e-3, ...shown.map(({ duration_ms }) => duration_ms));
  const list = byId('rows');
  const keys = new Set();
  for (const [index, request] of shown.entries()) {
    const key = request['x-request-id'] + ' ' + request.started;
    keys.add(key);
    const whole = Math.max(request.duration_ms, 1e-3);
    const span = scale === 'same' ? longest : scale === 'whole' ? whole : (request.time_to_first_token_ms ?? whole);
    const row = rows.get(key) ?? newRow(request);
    rows.set(key, row);
    fill(row, request, span);
    if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
  }
  for (const [key, row] of rows) {
    if (keys.has(key)) continue;
    row.remove();
    rows.delete(key);
  }
  byId('empty').hidden = shown.length > 0;
}

function newRow(request) {
  const button = element('button', 'row');
  button.type = 'button';
  button.addEventListener('click', () => {
    const id = request['x-request-id'];
    location.hash = openedId() === id ? '' : id;
  });
  return element('li', '', button);
}

/** What does not change is not drawn again. */
function fill(row, request, span) {
  const button = row.firstChild;
  const id = request['x-request-id'];
  button.setAttribute('aria-expanded', String(openedId() === id));
  const state = [request.outcome, request.duration_ms, span].join(' ');
  if (row.dataset.state === state) return;
  row.dataset.state = state;
  const model = request.route === 'unknown' ? request.path : request.model;
  button.replaceChildren(
    element('span', 'time', new Date(request.started).toLocaleTimeString([], { hour12: false })),
    element('span', 'what', element('span', '', model), element('span', 'mono quiet', id)),
    element('span', 'how', mark(request)),
    element('span', 'first', time(request.time_to_first_token_ms)),
    element('span', 'total', time(request.duration_ms)),
    strip(request, span),
  );
}

/** The request that is opened is named by the address, so that it can be linked to. */
function openedId() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return '';
  }
}

/** @param requests with the id of the address: a client may use one twice; undefined when there is no such one (any more) */
function showOpened(requests) {
  const box = byId('opened');
  const id = openedId();
  document.querySelector('main').classList.toggle('split', id !== '');
  box.hidden = id === '';
  if (id === '') box.dataset.id = '';
  if (id === '' || (requests === undefined && box.dataset.id === id)) return;
  const state = id + JSON.stringify(requests);
  if (box.dataset.state === state) return;
  const isNew = box.dataset.id !== id;
  box.dataset.id = id;
  box.dataset.state = state;
  const close = element('button', '', 'close');
  close.type = 'button';
  close.addEventListener('click', () => (location.hash = ''));
  const title = element('div', 'bar-of-title', element('h2', 'mono', id), close);
  const found = (requests ?? []).flatMap((request) => [facts(request), ...parts(request), ...timeline(request)]);
  const none = element('p', 'quiet', 'Not among the requests in flight and the last ${KEPT_REQUESTS} that finished.');
  box.replaceChildren(title, ...(found.length === 0 ? [none] : found));
  const { top } = box.getBoundingClientRect();
  if (isNew && (top < 0 || top > innerHeight / 2)) box.scrollIntoView();
}

byId('token').addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem(TOKEN, byId('token-field').value);
  byId('token-field').value = '';
  wait = PERIOD;
  void ask();
});
for (const id of ['view', 'scale', 'hold']) byId(id).addEventListener('change', () => (showRows(), void ask()));
window.addEventListener('hashchange', () => (showRows(), void ask()));
document.addEventListener('visibilitychange', () => (document.hidden ? clearTimeout(timer) : void ask()));
legend(byId('legend'));
void ask();
`;
