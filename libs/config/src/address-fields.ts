import { isIPv4, isIPv6 } from 'node:net';
import { z } from 'zod';
import { notWhatIsExpected } from './issue-message.ts';
import { writtenText } from './written-text.ts';

export type BaseUrlField = z.ZodCodec<z.ZodString, z.ZodString>;
export type ListenAddressField = z.ZodCodec<z.ZodString, z.ZodObject<{ host: z.ZodString; port: z.ZodNumber }>>;

/** Where to listen. An empty `host` is every interface; `port` is 0 to 65535, 0 any free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * An absolute http or https URL to put paths behind; read without the slash at its end, so that `base + '/v1'` is right.
 * A user name or password in it is refused, since addresses are logged.
 * @param name what the URL is of, as it stands in messages: `gateway URL`
 */
export function baseUrl(name = 'URL'): BaseUrlField {
  const what = `an http or https URL such as "${EXAMPLE_URL}"`;
  return z.codec(writtenText(what, { format: 'uri', pattern: URL_PATTERN, examples: [EXAMPLE_URL] }), z.string(), {
    decode: (text, payload) => {
      const url = parseBaseUrl(text.trim(), name);
      if ('base' in url) return url.base;
      payload.issues.push({ code: 'custom', input: text, message: url.problem ?? notWhatIsExpected(what, text) });
      return z.NEVER;
    },
    encode: (base) => base,
  });
}

/** `:8080`, `127.0.0.1:8080`, `localhost:8080` or `[::1]:8080`. */
export function listenAddress(): ListenAddressField {
  const what = 'an address to listen on such as ":8080", "127.0.0.1:8080" or "[::1]:8080"';
  return z.codec(
    writtenText(what, { pattern: LISTEN_PATTERN, examples: [':8080', '127.0.0.1:8080'] }),
    z.object({ host: z.string(), port: z.number() }),
    {
      decode: (text, payload) => {
        const address = parseListenAddress(text.trim());
        if (address !== undefined) return address;
        payload.issues.push({ code: 'custom', input: text, message: notWhatIsExpected(what, text) });
        return z.NEVER;
      },
      encode: ({ host, port }) => `${isIPv6(host) ? `[${host}]` : host}:${port}`,
    },
  );
}

const URL_PATTERN = '^\\s*[hH][tT][tT][pP][sS]?://[^/?#]';
const LISTEN_PATTERN = ':\\d{1,5}\\s*$';
const EXAMPLE_URL = 'http://inference-gateway:80';

/** The base, or what is wrong; no `problem` means that it is no http URL at all. */
function parseBaseUrl(text: string, name: string): { base: string } | { problem?: string } {
  const problem = urlProblem(text, name);
  if (problem !== undefined) return { problem };
  if (!/^https?:\/\//i.test(text) || /[\s\\]/.test(text) || !URL.canParse(text)) return {};
  const { origin, pathname } = new URL(text);
  return { base: origin + pathname.replace(/\/+$/, '') };
}

function urlProblem(text: string, name: string): string | undefined {
  const authority = /^https?:\/\/([^/?#\\]*)/i.exec(text)?.[1] ?? (text === '' ? '' : undefined);
  if (authority === undefined) return undefined;
  if (authority.includes('@')) {
    return `the ${name} must not hold a user name or password, it would be logged: write only http://host:port`;
  }
  if (authority === '' || authority.startsWith(':')) {
    return `the ${name} ${JSON.stringify(text)} is missing a host: write it as "${EXAMPLE_URL}"`;
  }
  return /[?#]/.test(text) ? `the ${name} must end with its path: remove what begins with "?" or "#"` : undefined;
}

function parseListenAddress(text: string): ListenAddress | undefined {
  const parts = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  if (parts === null) return undefined;
  const [, inBrackets, plain = '', digits] = parts;
  const port = Number(digits);
  const valid = inBrackets === undefined ? isHost(plain) : isIPv6(inBrackets);
  return valid && port <= 65_535 ? { host: inBrackets ?? plain, port } : undefined;
}

function isHost(text: string): boolean {
  if (/^[\d.]+$/.test(text)) return isIPv4(text);
  return text.length <= 253 && /^(?:[\w-]+(?:\.[\w-]+)*\.?)?$/.test(text);
}
