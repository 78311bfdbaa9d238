import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { json } from '#testing';
import type { RecordedRequest } from '#testing';
import { idOf } from './queue-bench.ts';

/** How a request is answered; of a hundred, `share` are answered so. */
interface Kind {
  readonly name: 'refused' | 'hopeless' | 'limited' | 'failing' | 'cut' | 'slow' | 'served';
  readonly share: number;
}

const KINDS: readonly Kind[] = [
  { name: 'refused', share: 1 },
  { name: 'hopeless', share: 1 },
  { name: 'limited', share: 5 },
  { name: 'failing', share: 5 },
  { name: 'cut', share: 3 },
  { name: 'slow', share: 4 },
  { name: 'served', share: 81 },
];
const SLOW_MS = 300;

/** Answers of a coordinator that is not well, and what it was asked. No two answers have the same body. */
export class ChaosAnswers {
  private readonly tries = new Map<number, number>();
  /** Requests that came in, tries of the same one included. */
  calls = 0;
  /** Requests that were answered for good at least once. */
  readonly final = new Set<number>();

  readonly answer = async (request: RecordedRequest, response: ServerResponse): Promise<void> => {
    const number = numberOf(idOf(request));
    const nth = (this.tries.get(number) ?? 0) + 1;
    this.tries.set(number, nth);
    const body = { number, call: ++this.calls };
    const kind = kindOf(number);
    if (kind === 'slow') await sleep(SLOW_MS);
    const status = statusOf(kind, nth);
    if (status === undefined) {
      response.destroy();
      return;
    }
    if (status < 429) this.final.add(number);
    if (status === 429) response.setHeader('retry-after', '1');
    json(response, body, status);
  };

  /** Of the numbers up to `count`, those that are never answered with anything but 503. */
  hopeless(count: number): number[] {
    return Array.from({ length: count }, (_, number) => number).filter((number) => kindOf(number) === 'hopeless');
  }
}

/** `job-17` is number 17. */
export function numberOf(id: string): number {
  return Number(id.slice(id.lastIndexOf('-') + 1));
}

function kindOf(number: number): Kind['name'] {
  let rest = number % 100;
  for (const { name, share } of KINDS) {
    if (rest < share) return name;
    rest -= share;
  }
  return 'served';
}

/** What a try is answered with, the first one and those after it. Undefined: the connection is cut. */
function statusOf(kind: Kind['name'], nth: number): number | undefined {
  const [first, later] = STATUSES[kind];
  return nth === 1 ? first : later;
}

const STATUSES: Readonly<Record<Kind['name'], readonly [first: number | undefined, later: number]>> = {
  refused: [400, 400],
  hopeless: [503, 503],
  limited: [429, 200],
  failing: [503, 200],
  cut: [undefined, 200],
  slow: [200, 200],
  served: [200, 200],
};
