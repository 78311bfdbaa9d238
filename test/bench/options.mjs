import { parseArgs } from 'node:util';

const HELP = `Measures the coordinator and the decode sidecar against the floor: CPU a request, in interleaved rounds of one run.

  node test/bench/bench.mjs [options]        (npm run build first)

  --list             the workloads and measurements there are
  --only A,B         these only; a name stands for all that begin with it and a dash, too
  --rounds N         rounds, of which medians are taken              (5)
  --seconds S        seconds of each slice                           (2)
  --warmup S         seconds of load on each workload before        (15)
  --peer 'COMMAND'   measures this program, too; --config FILE is appended
  --soak MINUTES     adds a soak of the coordinator
  --profile          flame graphs and allocations of the coordinator instead of figures
  --quick            the regression guard: ends with 1 on a ratio that is clearly out
  --out DIR          where results, charts and profiles go           (dist/bench)
  --write-docs       writes docs/performance.md from this run, which --only adds to what was measured before
  --render FILE      reports an earlier run, from its results.json
`;

const OPTIONS = {
  help: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  warmup: { type: 'string' },
  peer: { type: 'string' },
  soak: { type: 'string', default: '0' },
  profile: { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
  out: { type: 'string', default: 'dist/bench' },
  'write-docs': { type: 'boolean', default: false },
  render: { type: 'string' },
};

/** Under load, code is cold for some ten seconds. */
const USUAL = { rounds: 5, seconds: 2, warmup: 15 };
const QUICK = { rounds: 3, seconds: 1, warmup: 3 };
const QUICK_WORKLOADS = ['text-200', 'text-8k', 'stream-many'];

/** The command line. @throws Error for a word or number that means nothing */
export function readOptions(argv) {
  const { values } = parseArgs({ args: argv, options: OPTIONS });
  const usual = values.quick ? QUICK : USUAL;
  const number = (key) => positive(key, values[key] ?? usual[key]);
  const only = values.only === '' ? undefined : values.only.split(',').map((name) => name.trim());
  return {
    ...values,
    ...{ rounds: number('rounds'), seconds: number('seconds'), warmup: number('warmup') },
    soak: Number(values.soak),
    only: only ?? (values.quick ? QUICK_WORKLOADS : undefined),
    writeDocs: values['write-docs'],
  };
}

export function help() {
  return HELP;
}

/** Whether `--only` lets a name through. */
export function isWanted({ only }, name) {
  return only === undefined || only.some((word) => name === word || name.startsWith(`${word}-`));
}

function positive(key, value) {
  const number = Number(value);
  if (!(number > 0)) throw new Error(`--${key} has to be a number above 0, not ${value}`);
  return number;
}
