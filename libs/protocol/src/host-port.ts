/** Where a worker listens. */
export interface HostPort {
  /** Name or address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

const MAX_PORT = 65_535;
/** `host:port` or `[v6]:port`, in a URL or alone. Nothing behind the port: a path would become part of every call's. */
const PATTERN = /^(?:https?:\/\/)?(?:\[([0-9a-f:.]+)\]|([\w.-]+)):(\d{1,5})\/?$/i;

/** @returns undefined for what is no `host:port` with a port from 1 to 65535; a scheme in front of it is left out of account */
export function hostPort(text: string): HostPort | undefined {
  const [, v6, name, digits] = PATTERN.exec(text.trim()) ?? [];
  const host = v6 ?? name;
  const port = Number(digits);
  if (host === undefined || port < 1 || port > MAX_PORT) return undefined;
  // what looks like an address need not be one: 300.1.1.1, a group too many
  return URL.canParse(`http://${bracketed(host)}`) ? { host, port } : undefined;
}

/** `host:port`, IPv6 in brackets; the one spelling that is compared. */
export function hostPortText({ host, port }: HostPort): string {
  return `${bracketed(host)}:${port}`;
}

export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

export function isSameEndpoint(one: HostPort, other: HostPort): boolean {
  return one.port === other.port && one.host.toLowerCase() === other.host.toLowerCase();
}
