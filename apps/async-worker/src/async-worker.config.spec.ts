import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { ConfigError, jsonSchemaOf, parseTree, readTree, variablesOf } from '#config';
import { leavesOf, valueAt } from '#testing';
import { asyncWorkerConfig, loadAsyncWorkerConfig } from './async-worker.config.ts';

const FOLDER = fileURLToPath(new URL('../../../config/', import.meta.url));
const LAYERS = { env: {}, envPrefix: 'ASYNC_WORKER' };
const NEEDED = { coordinator: { address: 'http://coordinator' }, redis_url: 'redis://redis' };

/** `path: message` of everything that is wrong. */
function problemsOf(values: Readonly<Record<string, unknown>>, env: Readonly<Record<string, string>> = {}): string[] {
  try {
    parseTree({ name: 'file', values: { ...NEEDED, ...values } }, asyncWorkerConfig, { ...LAYERS, env });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ path, message }) => `${path}: ${message}`);
  }
}

const example = readFileSync(`${FOLDER}async-worker.yaml`, 'utf8');
const live = readTree({ text: example }).values;
/** A `#` with nothing between it and a key is a key that is switched off; words have a space. */
const all = readTree({ text: example.replaceAll(/^(\s*)#(?=\S)/gm, '$1') }).values;

describe('config/async-worker.yaml', () => {
  it.each(['async-worker.yaml', 'local/async-worker.yaml'])('%s is a configuration that starts', (name) => {
    expect(loadAsyncWorkerConfig({ file: FOLDER + name, ...LAYERS }).warnings).toEqual([]);
  });

  it('still starts with every key switched on', () => {
    expect(problemsOf(all)).toEqual([]);
  });

  it.each(leavesOf(jsonSchemaOf(asyncWorkerConfig, { title: 'x' })))(
    'has %s, and shows its default where it is switched off',
    (path, fallback) => {
      expect(valueAt(all, path)).toBeDefined();
      if (valueAt(live, path) === undefined) expect(valueAt(all, path)).toEqual(fallback);
    },
  );
});

describe('asyncWorkerConfig', () => {
  it('needs an address and a Redis', () => {
    expect(() => parseTree({ name: 'file', values: {} }, asyncWorkerConfig, LAYERS)).toThrow(
      /redis_url[\s\S]*coordinator\.address/,
    );
  });

  it('takes keys from variables', () => {
    const env = {
      ASYNC_WORKER_WORKER_BACKOFF_INITIAL: '3s',
      ASYNC_WORKER_QUEUES: 'a,b',
      ASYNC_WORKER_REDIS_URL: 'redis://other',
    };
    const { config } = parseTree({ name: 'file', values: NEEDED }, asyncWorkerConfig, { ...LAYERS, env });
    expect([config.worker.backoff.initial, config.queues, config.redis_url]).toEqual([
      3000,
      ['a', 'b'],
      'redis://other',
    ]);
    expect(variablesOf(asyncWorkerConfig, 'ASYNC_WORKER').get('worker.lease')).toBe('ASYNC_WORKER_WORKER_LEASE');
  });

  it.each([
    [{ queues: [] }, /^queues: expected at least one queue/],
    [{ queues: ['a', 'b', 'a'] }, /^queues\[2\]: is named twice/],
    [{ queues: ['results:req:a'] }, /^queues\[0\]: is where results and marks/],
    [{ queues: ['async-worker:leases:a'] }, /^queues\[0\]: is where results and marks/],
    [{ queues: ['a\nb'] }, /^queues\[0\]: must not have control characters/],
    [{ worker: { backoff: { initial: '10s', max: '1s' } } }, /^worker\.backoff\.max: must not be shorter/],
    [{ worker: { lease: '10ms' } }, /^worker\.lease: expected a duration from 1s/],
    [{ worker: { lease: '5' } }, /^worker\.lease: /],
    [{ worker: { concurency: 5 } }, /^worker\.concurency: unknown key.*concurrency/],
    [{ redis: { topology: 'sentinel' } }, /^redis\.master_name: is needed/],
    [{ redis: { topology: 'cluster' } }, /^queues\[0\]: needs a hash tag/],
    [{ redis: { topology: 'cluster' }, queues: ['{a}q', '{b}q'] }, /^queues\[1\]: needs the hash tag \{a\} of queues/],
    [{ redis: { topology: 'cluster' }, queues: ['{a}q'], redis_url: 'redis://redis/3' }, /^redis_url: a cluster has/],
    [{ coordinator: { address: 'http://user:secret@coordinator' } }, /^coordinator\.address: (?!.*secret)/],
    [{ redis_url: 'http://redis' }, /^redis_url: expected a URL/],
  ])('refuses %j', (values, problem) => {
    expect(problemsOf(values)).toEqual([expect.stringMatching(problem)]);
  });
});
