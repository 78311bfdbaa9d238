import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { EndpointStore } from '#scheduling';
import { SILENT } from './epp.fixture.ts';
import { endpointNews } from './endpoint-news.ts';
import { anEndpoint } from './picker.fixture.ts';

interface Line {
  readonly message: unknown;
  readonly fields: unknown;
}

let lines: Line[];
let endpoints: EndpointStore;
let news: { close(): void } | undefined;

beforeEach(() => {
  lines = [];
  endpoints = new EndpointStore();
  const log = (fields: unknown, message: unknown): void => void lines.push({ fields, message });
  Logger.overrideLogger({ ...SILENT, log });
});
afterEach(() => news?.close());

/** The first line that is said; the test's own limit ends it otherwise. */
async function firstLine(): Promise<Line> {
  for (;;) {
    const [line] = lines;
    if (line !== undefined) return line;
    await delay(1);
  }
}

const many = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => anEndpoint(`pod-${from + index}`, `10.0.1.${from + index}`));

describe('the news of endpoints', () => {
  it('name who came and who went in one line', async () => {
    endpoints.replace([anEndpoint('pod', '10.0.0.1')]);
    news = endpointNews(1)({ endpoints });
    endpoints.replace(many(0, 2));
    expect(await firstLine()).toEqual({
      message: 'endpoints have changed',
      fields: {
        endpoints: 2,
        added: 3,
        removed: 1,
        added_endpoints: ['default/pod', 'default/pod-0', 'default/pod-1'],
        removed_endpoints: ['default/pod'],
      },
    });
  });

  it('count those that a line has no room for', async () => {
    news = endpointNews(1)({ endpoints });
    endpoints.replace(many(0, 200));
    const { fields } = await firstLine();
    expect(fields).toMatchObject({ added: 200, endpoints: 200 });
    expect(JSON.stringify(fields).match(/pod-/g)).toHaveLength(20);
  });

  it('are one line, however often endpoints change before it is said', async () => {
    news = endpointNews(1)({ endpoints });
    for (let turn = 0; turn < 100; turn++) endpoints.replace(many(turn, 1));
    expect((await firstLine()).fields).toMatchObject({ added: 100, removed: 99, endpoints: 1 });
    expect(lines).toHaveLength(1);
  });

  it('are told to the end', () => {
    news = endpointNews(60_000)({ endpoints });
    endpoints.replace(many(0, 1));
    expect(lines).toHaveLength(0);
    news.close();
    expect(lines).toHaveLength(1);
  });
});
