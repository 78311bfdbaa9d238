import { z } from 'zod';
import { healthOn } from '../../../apps/epp/src/epp.fixture.ts';
import type { Container } from '../../integration/manifests.ts';
import { statusOf } from './coordinator.process.ts';

const httpGet = z.object({ path: z.string(), port: z.string(), scheme: z.enum(['HTTP', 'HTTPS']) });
const probe = z.looseObject({
  httpGet: httpGet.optional(),
  grpc: z.object({ port: z.int(), service: z.string() }).optional(),
});
const probed = z.looseObject({
  ports: z.array(z.object({ name: z.string(), containerPort: z.int() })),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
});

type Probe = z.output<typeof probe>;
type Answer = number | string | undefined;

const KINDS = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;

/**
 * What the kubelet would be answered, by the probe: a status of HTTP, or a health of gRPC; undefined where nobody answers.
 * @param ports of this machine, by those of the chart
 */
export async function probeAnswers(
  container: Container,
  ports: ReadonlyMap<number, number>,
): Promise<Readonly<Record<string, Answer>>> {
  const all = probed.parse(container);
  const answers: Record<string, Answer> = {};
  for (const kind of KINDS) {
    const wanted = all[kind];
    if (wanted !== undefined) answers[kind] = await answerTo(wanted, (name) => ports.get(numberOf(all.ports, name)));
  }
  return answers;
}

/** The port of this name. @throws Error where the container has none */
export function portNamed(container: Container, name: string): number {
  return numberOf(probed.parse(container).ports, name);
}

/** Whether the kubelet would be content with all of them. */
export function isContent(answers: Readonly<Record<string, Answer>>): boolean {
  return Object.values(answers).every((answer) => answer === 200 || answer === 'SERVING');
}

async function answerTo({ httpGet: get, grpc }: Probe, find: (port: string | number) => number | undefined) {
  if (get !== undefined) {
    const port = find(get.port);
    return statusOf(`${get.scheme.toLowerCase()}://127.0.0.1:${port ?? 0}${get.path}`);
  }
  if (grpc === undefined) throw new Error('it is a probe of another kind');
  const reply = await healthOn(find(grpc.port) ?? 0, grpc.service).catch(() => undefined);
  return reply?.status;
}

type NamedPorts = z.output<typeof probed>['ports'];

/** @throws Error where the container has no port of that name */
function numberOf(ports: NamedPorts, port: string | number): number {
  const number = typeof port === 'number' ? port : ports.find(({ name }) => name === port)?.containerPort;
  if (number === undefined) throw new Error(`the container has no port ${port}`);
  return number;
}
