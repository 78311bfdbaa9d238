import { isIP } from 'node:net';
import { isDialable } from './address-guard.ts';
import { bareHost } from './domain-name.ts';
import { BLOCKED_PORTS } from './fetch-blocked-ports.ts';
import { MediaFetchFailure } from './media-fetch.failure.ts';
import type { MediaRules } from './media-rules.ts';

/** Characters; origins refuse request lines far shorter than this, and parsing time grows with it. */
export const MAX_URL_LENGTH = 16 * 1024;

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** @throws MediaFetchFailure */
export function parseMediaUrl(text: string, base?: URL): URL {
  const url = text.length > MAX_URL_LENGTH ? null : URL.parse(text, base?.href);
  if (url === null) throw new MediaFetchFailure('url');
  return url;
}

/**
 * The rules that a URL is held to before anything is opened for it, on every hop. Literal addresses are judged here too, for they
 * may go to a proxy; every address is judged again when it is dialled.
 * @throws MediaFetchFailure
 */
export function checkHop(url: URL, rules: MediaRules): void {
  const reason = refusal(url, rules);
  if (reason !== undefined) throw new MediaFetchFailure(reason);
}

function refusal(url: URL, rules: MediaRules): 'scheme' | 'userinfo' | 'port' | 'domain' | 'address' | undefined {
  const defaultPort = DEFAULT_PORTS[url.protocol];
  if (defaultPort === undefined) return 'scheme';
  if (url.username !== '' || url.password !== '') return 'userinfo';
  if (BLOCKED_PORTS.has(url.port === '' ? defaultPort : Number(url.port))) return 'port';
  const host = bareHost(url.hostname);
  if (rules.allowedDomains.size > 0 && !rules.allowedDomains.has(host)) return 'domain';
  return isIP(host) !== 0 && !isDialable(host, rules.network) ? 'address' : undefined;
}
