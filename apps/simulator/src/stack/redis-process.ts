import { environment } from '#config';
import { ChildProgram } from './child-program.ts';
import type { WantedProgram } from './find-program.ts';
import { isListening } from './is-listening.ts';

/** The one that the flag `--async` asks for. */
export const REDIS: WantedProgram = {
  ...{ title: 'Redis', flag: '--async', option: '--redis-program', name: 'redis-server' },
  // `Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=ae4d7c971a948f0`
  version: /^\w+ server v=(\S+)/m,
};

/** A Redis that tells of what comes into mailboxes, and forgets everything when it ends. */
export class RedisProcess extends ChildProgram {
  /** @param print gets its warnings, line by line */
  constructor(
    program: string,
    private readonly port: number,
    print: (line: string) => void,
  ) {
    super(
      {
        name: 'Redis',
        command: program,
        files: () => ({}),
        args: (folder) => [
          ...['--bind', '127.0.0.1', '--port', String(port), '--dir', folder],
          ...['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'],
          ...['--notify-keyspace-events', 'Kl', '--loglevel', 'warning'],
        ],
        env: environment(),
      },
      (line) => {
        if (!ORDINARY.test(line)) print(line);
      },
    );
  }

  /** @throws Error when it ends first, or takes longer than 30 s */
  ready(): Promise<void> {
    return this.until(() => isListening(this.port));
  }
}

/** What every start and stop has, at the level of warnings; the one about memory is for deployments that save snapshots. */
const ORDINARY =
  /oO0OoO0OoO0Oo|Redis version=|Configuration loaded|Server initialized|Memory overcommit|Received SIG|User requested|bye bye|^\s*$/;
