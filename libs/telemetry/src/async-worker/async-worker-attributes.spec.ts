import { describe, expect, it } from '@jest/globals';
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { ATTRIBUTES } from '../attributes.ts';
import { ASYNC_WORKER_ATTRIBUTES } from './async-worker-attributes.ts';
import { ASYNC_WORKER_SPANS } from './async-worker-span-catalogue.ts';

/** The constant that OpenTelemetry publishes for each name that is its own. */
const PUBLISHED = {
  system: 'ATTR_MESSAGING_SYSTEM',
  operation: 'ATTR_MESSAGING_OPERATION_NAME',
  operationType: 'ATTR_MESSAGING_OPERATION_TYPE',
  destination: 'ATTR_MESSAGING_DESTINATION_NAME',
} as const satisfies Partial<Record<keyof typeof ASYNC_WORKER_ATTRIBUTES, keyof typeof conventions>>;

describe('ASYNC_WORKER_ATTRIBUTES', () => {
  it.each(Object.entries(PUBLISHED))('%s is what %s publishes', (name, constant) => {
    expect(Reflect.get(ASYNC_WORKER_ATTRIBUTES, name)).toBe(Reflect.get(conventions, constant));
  });

  it('has every other name under llm_d.async_worker', () => {
    const own = Object.entries(ASYNC_WORKER_ATTRIBUTES).filter(([key]) => !(key in PUBLISHED));
    for (const [, name] of own) expect(name).toMatch(/^llm_d\.async_worker\.[a-z_]+$/);
  });

  it('has no name twice, nor one of ATTRIBUTES', () => {
    const names = [ATTRIBUTES, ASYNC_WORKER_ATTRIBUTES].flatMap((all): string[] => Object.values(all));
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('ASYNC_WORKER_SPANS', () => {
  it('names each kind of span once, and parents that there are', () => {
    const names: readonly (string | undefined)[] = ASYNC_WORKER_SPANS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { parent } of ASYNC_WORKER_SPANS) expect([undefined, ...names]).toContain(parent);
  });

  it('can fail, all of them', () => {
    for (const { attributes } of ASYNC_WORKER_SPANS) expect(attributes).toContain('errorType');
  });

  it('uses each of the attributes', () => {
    const used: ReadonlySet<string> = new Set(ASYNC_WORKER_SPANS.flatMap(({ attributes }) => attributes));
    expect(Object.keys(ASYNC_WORKER_ATTRIBUTES).filter((key) => !used.has(key))).toEqual([]);
  });
});
