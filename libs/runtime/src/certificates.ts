import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext, getCiphers } from 'node:tls';
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import { generate } from 'selfsigned';
import { ConfigError } from '#config';

/** How a listener serves TLS. */
export interface TlsSettings {
  /** Folder with `tls.crt` and `tls.key`; empty for a self-signed certificate. */
  readonly folder: string;
  readonly minVersion: '' | 'VersionTLS12' | 'VersionTLS13';
  /** IANA names. */
  readonly cipherSuites: readonly string[];
}

/** Milliseconds between two looks at the files; Kubernetes swaps a mounted secret by a link, which watchers of a file miss. */
const LOOK = 5_000;

const TLS_13_SUITES = 'TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256';

/**
 * Options of a TLS listener.
 * @throws ConfigError when there is no such suite, or the files cannot be read or do not belong together
 */
export async function tlsOptions(settings: TlsSettings): Promise<TlsOptions> {
  const ciphers = settings.cipherSuites.map(knownCipher).join(':');
  return {
    ...(settings.folder === '' ? await selfSigned() : keyPair(settings.folder)),
    minVersion: settings.minVersion === 'VersionTLS13' ? 'TLSv1.3' : 'TLSv1.2',
    ...(ciphers === '' ? {} : { ciphers: `${ciphers}:${TLS_13_SUITES}` }),
  };
}

/**
 * Gives the pair again whenever one of its files changes.
 * @param onError what is wrong with the new files; the old pair stays in use
 * @param interval milliseconds between two looks
 * @returns stops watching
 */
export function watchKeyPair(
  folder: string,
  onChange: (pair: SecureContextOptions) => void,
  onError: (error: Error) => void,
  interval = LOOK,
): () => void {
  const files = filesIn(folder);
  const reload = (): void => {
    try {
      onChange(keyPair(folder));
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
    }
  };
  for (const file of files) watchFile(file, { interval, persistent: false }, reload);
  return () => {
    for (const file of files) unwatchFile(file, reload);
  };
}

function filesIn(folder: string): readonly [cert: string, key: string] {
  return [join(folder, 'tls.crt'), join(folder, 'tls.key')];
}

function keyPair(folder: string): SecureContextOptions {
  const [cert, key] = filesIn(folder);
  try {
    const pair = { cert: readFileSync(cert), key: readFileSync(key) };
    createSecureContext(pair);
    return pair;
  } catch (cause) {
    throw new ConfigError(`load key pair from cert "${cert}" and key "${key}": ${reasonOf(cause)}`, [], { cause });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'syscall' in error ? 'cannot be read' : 'are no pair of certificate and key';
}

async function selfSigned(): Promise<SecureContextOptions> {
  const pair = await generate([{ name: 'commonName', value: 'localhost' }], { algorithm: 'sha256', keyType: 'ec' });
  return { cert: pair.cert, key: pair.private };
}

/** @throws ConfigError when there is no such suite; also worth knowing where TLS is off */
export function checkCipherSuites(suites: readonly string[]): void {
  for (const suite of suites) knownCipher(suite);
}

function knownCipher(iana: string): string {
  const name = openSslName(iana);
  if (!getCiphers().includes(name.toLowerCase())) throw new ConfigError(`invalid tls-cipher-suites: ${iana}`);
  return name;
}

/** `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256` → `ECDHE-RSA-AES128-GCM-SHA256`. The names of TLS 1.3 are the same in both. */
export function openSslName(iana: string): string {
  if (!iana.includes('_WITH_')) return iana;
  return iana
    .replace(/^TLS_(RSA_WITH_)?/, '')
    .replace('_WITH_', '_')
    .replace(/AES_(\d+)/, 'AES$1')
    .replace(/_CBC_(SHA\d*)$/, '_$1')
    .replace(/(CHACHA20_POLY1305)_SHA256$/, '$1')
    .replaceAll('_', '-');
}
