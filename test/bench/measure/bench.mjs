import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { BenchPrograms } from '../programs/bench-programs.mjs';
import { placement } from '../programs/cores.mjs';
import { Helper } from '../programs/helper.mjs';

/** What every measurement needs: the drivers, which run, and the means to start programs. */
export async function openBench(options, root) {
  const cores = placement();
  const say = (text) => process.stderr.write(`${text}\n`);
  if (cores.warning !== undefined) say(`warning: ${cores.warning}`);
  const folder = options.out;
  const configs = join(folder, 'config');
  mkdirSync(configs, { recursive: true });
  const helpers = {
    upstream: new Helper('upstream.mjs', cores.upstream),
    load: new Helper('load.mjs', cores.load),
    sink: new Helper('sink.mjs', cores.upstream),
  };
  const upstreamPort = await helpers.upstream.call('listen');
  const sinkPort = await helpers.sink.call('listen');
  await helpers.load.call('prefillAt', `127.0.0.1:${await helpers.upstream.call('listenAs', 'prefill')}`);
  return {
    ...helpers,
    ...{ options, root, folder, cores, say, coreCount: availableParallelism() },
    programs: new BenchPrograms({ folder: configs, cores, upstreamPort, sinkPort, peer: options.peer }),
    close: () => {
      for (const helper of Object.values(helpers)) helper.stop();
    },
  };
}
