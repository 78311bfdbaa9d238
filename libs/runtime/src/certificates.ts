import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { join } from 'node:path';
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

/**
 * Options of a TLS listener.
 * @throws ConfigError when the files cannot be read or do not belong together
 */
export async function tlsOptions(settings: TlsSettings): Promise<TlsOptions> {
  const ciphers = settings.cipherSuites.map(openSslName).join(':');
  return {
    ...(settings.folder === '' ? await selfSigned() : keyPair(settings.folder)),
    minVersion: settings.minVersion === 'VersionTLS13' ? 'TLSv1.3' : 'TLSv1.2',
    ...(ciphers === '' ? {} : { ciphers: `${ciphers}:TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256` }),
  };
}

/**
 * Gives the pair again whenever its files change.
 * @param onError what is wrong with the new files; the old pair stays in use
 * @returns stops watching
 */
export function watchKeyPair(
  folder: string,
  onChange: (pair: SecureContextOptions) => void,
  onError: (error: Error) => void,
): () => void {
  const file = join(folder, 'tls.crt');
  const reload = (): void => {
    try {
      onChange(keyPair(folder));
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
    }
  };
  watchFile(file, { interval: LOOK, persistent: false }, reload);
  return () => {
    unwatchFile(file, reload);
  };
}

function keyPair(folder: string): SecureContextOptions {
  const [cert, key] = ['tls.crt', 'tls.key'].map((name) => join(folder, name));
  try {
    return { cert: readFileSync(cert ?? ''), key: readFileSync(key ?? '') };
  } catch (error) {
    throw new ConfigError(`load key pair from cert "${cert ?? ''}" and key "${key ?? ''}": cannot be read`, [], { cause: error });
  }
}

async function selfSigned(): Promise<SecureContextOptions> {
  const pair = await generate([{ name: 'commonName', value: 'localhost' }], { algorithm: 'sha256', keyType: 'ec' });
  return { cert: pair.cert, key: pair.private };
}

/** `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256` → `ECDHE-RSA-AES128-GCM-SHA256`. */
export function openSslName(iana: string): string {
  return iana
    .replace(/^TLS_/, '')
    .replace('_WITH_', '_')
    .replace(/AES_(\d+)/, 'AES$1')
    .replace(/_CBC_SHA$/, '-SHA')
    .replace(/_CBC_(SHA\d+)$/, '-$1')
    .replace('CHACHA20_POLY1305_SHA256', 'CHACHA20-POLY1305')
    .replace('CHACHA20_POLY1305', 'CHACHA20-POLY1305')
    .replaceAll('_', '-');
}
