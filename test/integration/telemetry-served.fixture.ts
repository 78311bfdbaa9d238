import { SpanRecorder } from '../../libs/telemetry/src/spans.fixture.ts';
import type { RecordedSpan } from '../../libs/telemetry/src/spans.fixture.ts';
import { ObservedCoordinator, until } from './telemetry.fixture.ts';
import type { ObservedOptions } from './telemetry.fixture.ts';
import type { ObservedCluster } from './telemetry-cluster.fixture.ts';
import { send } from './telemetry-client.fixture.ts';
import type { ClientOptions } from './telemetry-client.fixture.ts';

/** The id of the request, where it does not bring one. */
export const ID = 'the-one';

/** Serves one request on a coordinator of its own, which the caller closes; what its spans say, by kind and name. */
export async function servedOne(cluster: ObservedCluster, options: ObservedOptions, request: ClientOptions) {
  const spans = new SpanRecorder();
  const own = await ObservedCoordinator.start(cluster, { spans, ...options });
  const answer = await send(own.url, { headers: { 'x-request-id': ID }, ...request });
  await own.idle();
  await until(() => spans.begun === spans.spans.length);
  const named = (kind: RecordedSpan['kind'], name: string): RecordedSpan[] =>
    spans.spans.filter((span) => span.kind === kind && span.name === name);
  return {
    ...{ answer, own, spans },
    server: spans.spans.find(({ kind }) => kind === 'SERVER'),
    failed: spans.spans
      .filter(({ isError }) => isError)
      .map(({ kind, name }) => `${kind} ${name}`)
      .toSorted(),
    named,
    metric: (name: string) => own.samples(`llm_d_coordinator_${name}`),
  };
}
