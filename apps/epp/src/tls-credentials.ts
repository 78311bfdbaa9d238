import { Logger } from '@nestjs/common';
import { ServerCredentials } from '@grpc/grpc-js';
import type { TlsOptions } from 'node:tls';
import { tlsOptions, watchKeyPair } from '#runtime';
import type { TlsSettings } from '#runtime';

/** Credentials of a listener, and what ends the watch over their files. */
export interface OpenCredentials {
  readonly credentials: ServerCredentials;
  readonly close: () => void;
}

/**
 * @param settings undefined for plain text; an empty folder is a certificate that this process signs itself
 * @param interval milliseconds between two looks at the files; undefined: they are read once
 * @throws ConfigError when the files cannot be used
 */
export async function openCredentials(
  settings: TlsSettings | undefined,
  interval: number | undefined,
): Promise<OpenCredentials> {
  if (settings === undefined) return { credentials: ServerCredentials.createInsecure(), close: () => undefined };
  const options = await tlsOptions(settings);
  const credentials = new TlsCredentials(options);
  if (settings.folder === '' || interval === undefined) return { credentials, close: () => undefined };
  const logger = new Logger('server');
  const close = watchKeyPair(
    settings.folder,
    (pair) => {
      // a new context forgets what is not said again
      credentials.replace({ ...options, ...pair });
      logger.log('certificate reloaded');
    },
    (error) => {
      logger.error({ err: error }, 'the new certificate cannot be used, the old one stays');
    },
    interval,
  );
  return { credentials, close };
}

/** grpc's own take no versions and suites, and never another certificate. */
class TlsCredentials extends ServerCredentials {
  constructor(options: TlsOptions) {
    super({}, options);
  }

  replace(options: TlsOptions): void {
    this.updateSecureContextOptions(options);
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}
