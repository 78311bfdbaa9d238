/**
 * How the queues of the async broker stand, where the pipeline has one: asked more seldom than the rest, since Redis is asked each time.
 * A template, so free of back ticks.
 */
export const PAGE_QUEUES = String.raw`
const QUEUE_PERIOD = 5000;
let queuesAskedAt = -Infinity;

async function askQueues({ has_queues: hasQueues }) {
  byId('queues').hidden = hasQueues !== true;
  if (hasQueues !== true || performance.now() - queuesAskedAt < QUEUE_PERIOD) return;
  queuesAskedAt = performance.now();
  const { queues } = await read('admin/queues').catch(() => ({ queues: [] }));
  byId('queue-rows').replaceChildren(...queues.map(queueRow));
}

function queueRow(queue) {
  const name = element('th', 'mono', queue.queue);
  name.scope = 'row';
  if (queue.failure !== undefined) {
    const none = element('td', 'bad-text', 'Redis does not tell: ' + queue.failure);
    none.colSpan = 6;
    return element('tr', '', name, none);
  }
  const span = (seconds) => (seconds === undefined ? '–' : seconds < 0 ? 'over' : time(1000 * seconds));
  const { deadline_seconds: left, dead_letters: dead } = queue;
  return element('tr', '', name,
    element('td', '', String(queue.depth)),
    element('td', '', span(queue.oldest_seconds)),
    element('td', left < 0 ? 'bad-text' : '', span(left)),
    element('td', '', String(queue.leased)),
    element('td', '', String(queue.retrying)),
    element('td', dead > 0 ? 'bad-text' : '', String(dead)));
}
`;
