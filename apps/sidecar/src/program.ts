import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { defaultEnvironment, environment, helpText, parseFlags, renderEffective } from '#config';
import { ProcessSignals, collectStartUp, countBodiesWithHeap, exitFailed } from '#runtime';
import { KubernetesDiscovery, podItself } from '#scheduling';
import { JsonLogger, loadTracing } from '#telemetry';
import { SidecarMetrics, sidecarTelemetry } from '#telemetry/sidecar';
import { metricsPage } from './metrics.companion.ts';
import { readOptions } from './read-options.ts';
import { sidecarFlags } from './sidecar.flags.ts';
import { startSidecar } from './start.ts';
import { packageVersion } from './version.ts';

const SERVICE = 'llm-d-disagg-sidecar';
const PROGRAM = {
  name: 'inference-decode-sidecar',
  summary: 'Stands before a decode engine and has encode, prefill and decode run where the endpoint picker says.',
};

async function main(): Promise<void> {
  countBodiesWithHeap();
  const flags = parseFlags(sidecarFlags, process.argv.slice(2));
  if (flags.values.help) {
    print(helpText(sidecarFlags, PROGRAM));
    return;
  }
  if (flags.values.version) {
    print(`${packageVersion()}\n`);
    return;
  }
  const options = readOptions(flags, environment());
  if (flags.values.check) {
    print(renderEffective(options.effective));
    return;
  }
  const json = new JsonLogger(options.verbosity, SERVICE);
  Logger.overrideLogger(json);
  const signals = new ProcessSignals();
  const metrics = new SidecarMetrics();
  metrics.on.info.set([environment()['BUILD_COMMIT'] ?? 'unknown', packageVersion()], 1);
  defaultEnvironment({ OTEL_SERVICE_NAME: SERVICE, OTEL_TRACES_EXPORTER: 'console' });
  const sdk = await loadTracing(options.tracing, packageVersion());
  const sidecar = await startSidecar(options, {
    logger: json,
    askKubernetes: (target) => new KubernetesDiscovery(target, { endpointsOf: podItself }),
    ...sidecarTelemetry(metrics, sdk?.tracer, { kv: options.kvConnector, ec: options.ecConnector ?? '' }),
    companions: [metricsPage(metrics, json), () => ({ close: () => sdk?.stop() })],
  });
  signals.onStop(
    (signal) => sidecar.shutdown.run(signal),
    // upstream's status of a process that is told twice (`sidecar.md` 1.7)
    () => process.exit(1),
  );
  collectStartUp();
  new Logger('sidecar').log({ addr: sidecar.urls.get(0), version: packageVersion() }, 'sidecar is ready');
}

function print(text: string): void {
  process.stdout.write(text);
}

main().catch(exitFailed);
