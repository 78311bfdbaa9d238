import { describe, expect, it } from '@jest/globals';
import type { Format } from './exposition.ts';
import { expose } from './exposition.ts';
import { mergeExpositions } from './merge-expositions.ts';
import { Metrics } from './metrics.ts';

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

/** What a worker answers that has served so many requests of a model. */
async function workerText(worker: number, requests: number, format: Format): Promise<string> {
  const metrics = new Metrics();
  for (let count = 0; count < requests; count++) metrics.on.requests.add(['m']);
  metrics.on.requestDuration.observe(['m'], 0.1, 'a'.repeat(32));
  return joined(expose(metrics.registry, metrics.exemplars, format, worker));
}

describe.each<Format>(['text', 'openmetrics'])('expositions of two workers as one, in %s', (format) => {
  const merged = async (): Promise<string> =>
    joined(mergeExpositions([await workerText(1, 3, format), await workerText(2, 5, format)], format));

  it('have each family once, with the series of both', async () => {
    const text = await merged();
    expect(text.match(/^# TYPE llm_d_coordinator_request_duration_seconds histogram$/gm)).toHaveLength(1);
    expect(text).toContain('llm_d_coordinator_request_total{worker="1",model_name="m"} 3\n');
    expect(text).toContain('llm_d_coordinator_request_total{worker="2",model_name="m"} 5\n');
    const heads = text.match(/^# (HELP|TYPE) \S+/gm) ?? [];
    expect(new Set(heads).size).toBe(heads.length);
  });

  it('have the samples of a family behind its head', async () => {
    let family = '';
    const astray: string[] = [];
    for (const line of (await merged()).split('\n')) {
      const head = /^# TYPE (\S+)/.exec(line);
      if (head !== null) family = head[1] ?? '';
      else if (line !== '' && !line.startsWith('#') && !line.startsWith(family)) astray.push(line);
    }
    expect(astray).toEqual([]);
  });

  it('end as one', async () => {
    expect((await merged()).match(/# EOF/g)?.length ?? 0).toBe(format === 'openmetrics' ? 1 : 0);
  });

  it('are empty for no workers', async () => {
    expect(await joined(mergeExpositions([], format))).toBe(format === 'openmetrics' ? '# EOF\n' : '');
  });
});
