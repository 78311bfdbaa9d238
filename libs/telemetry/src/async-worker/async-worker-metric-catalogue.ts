import { BUCKETS } from '../buckets.ts';
import type { MetricSpec } from '../metric-catalogue.ts';
import { metricSpecs } from '../metric-specs.ts';

const { counter, gauge, histogram } = metricSpecs('llm_d_async_worker_');

const QUEUE = ['queue'] as const;

/** Every metric of the async worker. What begins with `queue_` is read from Redis, so each worker tells the same of it. */
export const ASYNC_WORKER_METRICS = {
  messages: counter(
    'messages_total',
    ['queue', 'outcome'],
    'Messages that were taken, by how that ended: delivered, retried (it is sent again later), delayed (its tenant has as many on their way as it may have), expired, cancelled, dead, returned (the worker ends), lost (another worker has it).',
  ),
  tries: counter(
    'tries_total',
    ['queue', 'result'],
    'Calls of the coordinator, by the status of the answer or by why there was none.',
  ),
  inFlight: gauge('in_flight', QUEUE, 'Messages that are held by this worker.'),
  wait: histogram('wait_seconds', QUEUE, BUCKETS.general, 'From being queued to being taken for the first time.'),
  tryDuration: histogram(
    'try_duration_seconds',
    QUEUE,
    BUCKETS.general,
    'From taking a message to letting go of it, with a call between.',
  ),
  turnaround: histogram(
    'turnaround_seconds',
    QUEUE,
    BUCKETS.general,
    'From being queued to the answer in the mailbox, all tries included.',
  ),
  retryDelay: histogram(
    'retry_delay_seconds',
    QUEUE,
    BUCKETS.general,
    'From a try that failed to when the next one is due.',
  ),
  recovered: counter(
    'recovered_total',
    ['queue', 'why'],
    'Messages that went back on their queue: lease (a worker let go of them without a word), retry (their next try is due).',
  ),
  deadLetters: counter(
    'dead_letters_total',
    ['queue', 'reason'],
    'Messages that were given up: retries_exhausted, worker_lost, invalid_envelope.',
  ),
  redisErrors: counter('redis_errors_total', ['command', 'failure'], 'Commands that Redis did not carry out.'),
  redisUp: gauge('redis_up', [], '1 where Redis told of the queues when it was last asked, else 0.'),
  queueDepth: gauge('queue_depth', QUEUE, 'Messages that nobody has taken. No series while Redis is away.'),
  queueOldest: gauge(
    'queue_oldest_seconds',
    QUEUE,
    'How long the message that is next has been queued. No series where none is, or while Redis is away.',
  ),
  queueDeadline: gauge(
    'queue_deadline_seconds',
    QUEUE,
    'Time that the message which is next has left, below 0 where it is over. No series where none is, or while Redis is away.',
  ),
  queueLeased: gauge('queue_leased', QUEUE, 'Messages that workers hold. No series while Redis is away.'),
  queueRetrying: gauge('queue_retrying', QUEUE, 'Messages whose next try is not due. No series while Redis is away.'),
  queueDeadLetters: gauge('queue_dead_letters', QUEUE, 'Dead letters that are kept. No series while Redis is away.'),
  buildInfo: gauge('build_info', ['version', 'commit', 'node'], 'What runs; always 1.'),
  configInfo: gauge('config_info', ['hash'], 'Hash of the effective configuration; always 1.'),
} as const satisfies Record<string, MetricSpec>;
