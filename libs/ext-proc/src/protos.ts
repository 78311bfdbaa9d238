import { loadPackageDefinition } from '@grpc/grpc-js';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** The services that an endpoint picker serves, and a client of it calls. */
export interface EppServices {
  readonly externalProcessor: ServiceDefinition;
  readonly health: ServiceDefinition;
}

/** Full names, as health checks ask for them. */
export const EXT_PROC_SERVICE = 'envoy.service.ext_proc.v3.ExternalProcessor';
export const HEALTH_SERVICE = 'grpc.health.v1.Health';

/**
 * The definitions stay where they are written, for a build copies nothing: the package, by whose name it is found, is further up from
 * `dist` than from `libs`.
 */
const PROTO = join(dirname(findPackageJSON(import.meta.url) ?? ''), 'libs/ext-proc/proto');

/** Reads the definitions; some 100 ms, so once at start. `messages.ts` has the shapes that these options lead to. */
export function loadProtos(): EppServices {
  const definitions = loadSync(['envoy/service/ext_proc/v3/external_processor.proto', 'grpc/health/v1/health.proto'], {
    includeDirs: [PROTO],
    keepCase: true,
    oneofs: true,
    defaults: false,
    longs: String,
    enums: String,
    bytes: Buffer,
  });
  // throws for a definition that cannot be used
  loadPackageDefinition(definitions);
  return {
    externalProcessor: serviceOf(definitions, EXT_PROC_SERVICE),
    health: serviceOf(definitions, HEALTH_SERVICE),
  };
}

function serviceOf(definitions: ReturnType<typeof loadSync>, name: string): ServiceDefinition {
  const found = definitions[name];
  // of messages and enums the format is said, of services it is not
  if (found === undefined || 'format' in found) throw new Error(`no service ${name} in ${PROTO}`);
  return found;
}
