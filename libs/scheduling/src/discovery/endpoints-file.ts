import { open } from 'node:fs/promises';
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { addressField, portField } from './endpoint-fields.ts';
import { parseYaml } from './yaml-thread.ts';

/** What a file came to. */
export interface EndpointsFile {
  readonly endpoints: readonly Endpoint[];
  /** What is wrong with entries that were left out, one each. */
  readonly problems: readonly string[];
}

const MOST_BYTES = 1024 * 1024;

const file = z.strictObject({ endpoints: z.array(z.unknown()) });

const entry = z.strictObject({
  name: z.string().min(1),
  namespace: z.string().min(1).default('default'),
  address: addressField,
  port: portField,
  labels: z.record(z.string(), z.string()).default({}),
});

/**
 * Reads a list of endpoints, in YAML or JSON (`epp.md` 7.2).
 * @throws Error for a file that cannot be read, is longer than 1 MiB, or is no list of endpoints
 */
export async function readEndpointsFile(path: string): Promise<EndpointsFile> {
  const parsed = file.safeParse(await parseYaml(await readText(path)));
  if (!parsed.success) throw new Error(`${path} is no list of endpoints: ${issues(parsed.error)}`);
  const endpoints = new Map<string, Endpoint>();
  const problems: string[] = [];
  parsed.data.endpoints.forEach((item, index) => {
    const one = entry.safeParse(item);
    const id = one.success ? `${one.data.namespace}/${one.data.name}` : '';
    if (!one.success) problems.push(`endpoints[${index}]: ${issues(one.error)}`);
    else if (endpoints.has(id)) problems.push(`endpoints[${index}]: there is an endpoint ${id} already`);
    else endpoints.set(id, { id, ...one.data });
  });
  return { endpoints: [...endpoints.values()], problems };
}

async function readText(path: string): Promise<string> {
  const handle = await open(path);
  try {
    const buffer = Buffer.alloc(MOST_BYTES + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
      length += bytesRead;
      if (bytesRead === 0 || length > MOST_BYTES) break;
    }
    if (length > MOST_BYTES) throw new Error(`${path} is longer than 1 MiB`);
    return buffer.toString('utf8', 0, length);
  } finally {
    await handle.close();
  }
}

function issues(error: z.ZodError): string {
  return error.issues
    .map(({ path, message }) => [path.map(String).join('.'), message].filter(Boolean).join(': '))
    .join('; ');
}
