import type { LoggedCall, RequestLog } from '../control/request-log.ts';
import { phaseSummary } from './phase-summary.ts';

const SETTLE_MS = 1500;

/** Prints a line for every request that ends at the gateway, once its calls have ended too. */
export function printRequests(requests: RequestLog, print: (line: string) => void): void {
  requests.onFinished((call) => {
    if (call.phase === 'client')
      void settled(requests, call).then(() => {
        print(requestLine(call, calls(requests, call)));
      });
  });
}

/** `12:00:01 3f2a… POST /v1/chat/completions sim-model 200 · render 3ms · …` */
export function requestLine(client: LoggedCall, phases: readonly LoggedCall[]): string {
  const time = new Date(client.startedAt).toTimeString().slice(0, 8);
  const model = phases.map(({ facts }) => facts['model']).find((value) => typeof value === 'string');
  const head = [time, client.requestId, client.method, client.path, model, client.status ?? client.outcome];
  const end = client.outcome === 'complete' || client.status === undefined ? [] : [client.outcome];
  const parts = [
    head.filter((word) => word !== undefined).join(' '),
    phaseSummary(phases),
    `${client.durationMs}ms in all`,
    ...end,
  ];
  return parts.filter((part) => part !== '' && part !== undefined).join(' · ');
}

function calls(requests: RequestLog, client: LoggedCall): LoggedCall[] {
  return client.requestId === undefined ? [] : requests.of(client.requestId).filter((call) => call !== client);
}

/** A client that leaves is seen here before the workers see it. */
async function settled(requests: RequestLog, client: LoggedCall): Promise<void> {
  const running = (): LoggedCall | undefined => calls(requests, client).find(({ outcome }) => outcome === undefined);
  const deadline = Date.now() + SETTLE_MS;
  for (let call = running(); call !== undefined && Date.now() < deadline; call = running()) {
    const waitedFor = call;
    await requests.waitFor((ended) => ended === waitedFor, deadline - Date.now()).catch(() => undefined);
  }
}
