import { ConfigError } from '#config';
import type { Endpoint } from '#scheduling';

const FORM = 'name=ip:port, with labels behind semicolons: decode-0=10.0.0.1:8000;role=decode';
const ROLE_LABEL = 'llm-d.ai/role';
const NAMESPACE = 'default';
const MAX_PORT = 65_535;
/** Name, host (IPv6 in brackets), port. */
const PLACE = /^([^=\s]+)=(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/;

/**
 * The endpoints of `--endpoints`, for development: `name=ip:port;role=decode;other-label=value`. `role` stands for `llm-d.ai/role`.
 * @throws ConfigError with every item that is none
 */
export function endpointList(items: readonly string[]): readonly Endpoint[] {
  const endpoints = items.map(endpointOf);
  const wrong = items.filter((_, index) => endpoints[index] === undefined);
  const names = endpoints.map((endpoint) => endpoint?.name);
  const doubled = names.filter((name, index) => name !== undefined && names.indexOf(name) !== index);
  const problems = [
    ...wrong.map((item) => `expected ${FORM}, got ${item.slice(0, 64)}`),
    ...doubled.map((name = '') => `${name} is given twice`),
  ];
  if (problems.length > 0) {
    const listed = problems.map((message) => ({ path: '--endpoints', message }));
    throw new ConfigError('the command line is invalid (--help lists the flags)', listed);
  }
  return endpoints.filter((endpoint) => endpoint !== undefined);
}

function endpointOf(item: string): Endpoint | undefined {
  const [place = '', ...labels] = item.split(';').map((part) => part.trim());
  const [, name, ipv6, host, port] = PLACE.exec(place) ?? [];
  const address = ipv6 ?? host;
  const number = Number(port);
  const pairs = labels.map(labelOf);
  if (name === undefined || address === undefined || number < 1 || number > MAX_PORT) return undefined;
  if (pairs.includes(undefined)) return undefined;
  return {
    id: `${NAMESPACE}/${name}`,
    namespace: NAMESPACE,
    name,
    address,
    port: number,
    labels: Object.fromEntries(pairs.filter((pair) => pair !== undefined)),
  };
}

function labelOf(text: string): readonly [string, string] | undefined {
  const [key = '', value, rest] = text.split('=');
  if (key === '' || value === undefined || rest !== undefined) return undefined;
  return [key === 'role' ? ROLE_LABEL : key, value];
}
