import { ConfigError } from '#config';

/** A name as Kubernetes takes it for an object. */
const ITEM = /^([a-z0-9](?:[-.a-z0-9]{0,251}[a-z0-9])?)=(-?\d{1,6})$/;

/**
 * The objectives of `--objectives`: `name=priority`; below 0, requests may be shed.
 * @throws ConfigError with every item that is none
 */
export function objectiveList(items: readonly string[]): Readonly<Record<string, number>> {
  const wrong = items.filter((item) => !ITEM.test(item.trim()));
  if (wrong.length > 0) {
    const problems = wrong.map((item) => ({
      path: '--objectives',
      message: `expected name=priority, as in batch=-1, got ${item.slice(0, 64)}`,
    }));
    throw new ConfigError('the command line is invalid (--help lists the flags)', problems);
  }
  const pairs = items.map((item) => ITEM.exec(item.trim()) ?? []);
  return Object.fromEntries(pairs.map(([, name = '', priority]) => [name, Number(priority)]));
}
