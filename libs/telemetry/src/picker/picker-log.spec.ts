import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { JsonLogger } from '../logger.ts';
import { PickerLog } from './picker-log.ts';
import { ANY, DISAGGREGATED, RESERVING, WatchedDirector } from './watched-director.fixture.ts';

const TRACE = 'a'.repeat(32);
const HEADERS = { traceparent: `00-${TRACE}-${'b'.repeat(16)}-01` };

interface Line {
  readonly body: string;
  readonly severity_text: string;
  readonly [field: string]: unknown;
}

let lines: string[];
beforeEach(() => {
  lines = [];
});

function watched(verbosity: number, plugins: string, ...pods: readonly string[]): WatchedDirector {
  const logger = new JsonLogger(verbosity, 'llm-d-epp', { write: (line: string) => void lines.push(line) });
  Logger.overrideLogger(logger);
  const director = new WatchedDirector(plugins, { log: new PickerLog(logger.verbosity) });
  director.has(...pods);
  return director;
}

// JSON of the logger's own making
const said = (): readonly Line[] => lines.map((line) => JSON.parse(line) as Line);

describe('the log of a picker', () => {
  it('has one line for a reservation at -v 4, and none at -v 2', async () => {
    await watched(2, RESERVING, 'decode-1').route({ prefer: 'reserve-endpoint' });
    expect(said()).toEqual([]);
    await watched(4, RESERVING, 'decode-1').route({ prefer: 'reserve-endpoint' });
    expect(said()).toEqual([
      expect.objectContaining({ body: 'endpoint reserved', severity_text: 'DEBUG', destination: '10.0.0.1:8000' }),
    ]);
  });

  it('has one line for a decision at -v 4: who was chosen, and nothing of what was asked', async () => {
    await watched(4, DISAGGREGATED, 'decode-1', 'prefill-1').route(HEADERS);
    expect(said()).toEqual([
      expect.objectContaining({
        body: 'request scheduled',
        severity_text: 'DEBUG',
        'x-request-id': 'request-1',
        trace_id: TRACE,
        model: 'm',
        primary: 'decode',
        profiles: { decode: ['ns/decode-1'], prefill: ['ns/prefill-1'] },
        destination: '10.0.0.1:8000',
        duration_ms: expect.any(Number),
      }),
    ]);
    expect(lines.join('')).not.toContain('SECRET');
  });

  it('has none for a decision at the default level', async () => {
    await watched(2, ANY, 'decode-1').route(HEADERS);
    expect(lines).toEqual([]);
  });

  it('warns of a request that was turned away, and says why', async () => {
    await watched(2, ANY).route(HEADERS);
    expect(said()).toEqual([
      expect.objectContaining({
        body: 'request refused',
        severity_text: 'WARN',
        'x-request-id': 'request-1',
        trace_id: TRACE,
        code: 'ServiceUnavailable',
        status: 503,
        reason: 'rejected-no-endpoints',
      }),
    ]);
  });

  it('does not warn of a prompt that is not cached', async () => {
    const director = watched(2, ANY, 'decode-1');
    const { decision } = await director.route({ prefer: 'if-available' });
    expect([decision, lines]).toEqual([undefined, []]);
  });

  it('bounds the warnings of a pool that refuses everything', async () => {
    const director = watched(2, ANY);
    for (let request = 0; request < 500; request++) await director.route();
    expect(lines.length).toBeGreaterThan(0);
    // ten in ten seconds, and the test may reach into the next ten
    expect(lines.length).toBeLessThanOrEqual(20);
  });
});
