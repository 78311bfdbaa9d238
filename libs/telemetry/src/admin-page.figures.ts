/** The figures on top: how many, how often, and their course over two minutes. A template, so free of back ticks. */
export const PAGE_FIGURES = String.raw`
/** "The last minute" of the figures. */
const WINDOW = 60000;
const SAMPLES = 120;

const byId = (id) => document.getElementById(id);
const sum = (counts) => Object.values(counts).reduce((total, count) => total + count, 0);
const samples = [];

function tile(id, figure, since) {
  byId(id).querySelector('.figure').textContent = figure;
  byId(id).querySelector('.since').textContent = since;
}

function showStatus(status) {
  const { totals } = status;
  // counts that go back are another process's
  if (samples.length > 0 && totals.requests < samples.at(-1).totals.requests) samples.length = 0;
  samples.push({ at: Date.now(), running: status.in_flight, totals });
  if (samples.length > SAMPLES) samples.shift();
  const base = samples.find((sample) => sample.at >= Date.now() - WINDOW);
  const grown = (count) => count(totals) - count(base.totals);
  const seconds = (samples.at(-1).at - base.at) / 1000;
  const all = ({ requests }) => requests;
  const failed = ({ errors }) => sum(errors);
  const probed = ({ probes }) => sum(probes);
  const missed = ({ probes }) => probes.deferred ?? 0;

  tile('in-flight', String(status.in_flight), 'log level ' + status.log_level);
  tile('rate', seconds > 0 ? (grown(all) / seconds).toFixed(1) : '–', totals.requests + ' since start');
  tile('errors', percent(grown(failed), grown(all)), failed(totals) + ' since start' + causes(totals.errors));
  tile('misses', percent(grown(missed), grown(probed)), percent(missed(totals), probed(totals)) + ' of ' + probed(totals) + ' since start');
  const width = (calls, requests) => (requests > 0 ? (calls / requests).toFixed(1) : '–');
  const { encode } = totals;
  tile('width', width(grown((t) => t.encode.calls), grown((t) => t.encode.requests)), width(encode.calls, encode.requests) + ' in ' + encode.requests + ' since start');
  byId('errors').classList.toggle('some', grown(failed) > 0);
  curve('in-flight', samples.map(({ running }) => running));
  curve('rate', growth(all));
  curve('errors', growth(failed));
  curve('misses', growth(missed));
  curve('width', growth((t) => t.encode.calls));
  byId('build').textContent = 'version ' + status.version;
  showReadiness(status);
}

function causes(errors) {
  const named = Object.entries(errors).filter(([, count]) => count > 0).map(([code, count]) => code + ' ' + count);
  return named.length === 0 ? '' : ': ' + named.join(', ');
}

function growth(count) {
  return samples.slice(1).map(({ totals }, index) => count(totals) - count(samples[index].totals));
}

/** The latest value is on the right; the whole width is two minutes. */
function curve(id, values) {
  const svg = byId(id).querySelector('svg');
  const top = Math.max(1, ...values);
  const points = values.map((value, index) => 120 - (values.length - 1 - index) * (120 / SAMPLES) + ',' + (26 - (24 * value) / top));
  if (svg.firstChild === null) svg.append(document.createElementNS('http://www.w3.org/2000/svg', 'polyline'));
  svg.firstChild.setAttribute('points', points.join(' '));
}

function showReadiness({ phase, isReady, dependencies }) {
  const box = byId('readiness');
  box.querySelector('.figure').replaceChildren(element('span', isReady ? 'dot up' : 'dot', phase));
  box.querySelector('ul').replaceChildren(...dependencies.map(({ name, isUp, isRequired, reason: why }) =>
    element('li', isUp ? 'dot up' : 'dot', name + (isRequired ? ', required' : '') + (isUp || !why ? '' : ': ' + why))));
}
`;
