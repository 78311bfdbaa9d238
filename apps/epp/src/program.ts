import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { defaultEnvironment, environment, helpText, parseFlags } from '#config';
import { ProcessSignals, collectStartUp, exitFailed } from '#runtime';
import { KubernetesDiscovery, KubernetesObjectives, PLUGINS } from '#scheduling';
import { JsonLogger, Tracing, loadTracing } from '#telemetry';
import { PickerFacts, PickerLog, PickerMetrics, PickerTelemetry, SchedulerAttempts } from '#telemetry/picker';
import { endpointNews } from './endpoint-news.ts';
import { eppFlags } from './epp.flags.ts';
import { eppOptions } from './epp.options.ts';
import { metricsPage } from './metrics.companion.ts';
import { checkConfiguration, startEpp } from './start.ts';
import { failuresCounted, scraping } from './scraping.companion.ts';
import { startLine } from './start-line.ts';
import { packageVersion } from './version.ts';

const PROGRAM = {
  name: 'inference-endpoint-picker',
  summary: 'Tells Envoy over ext_proc which pod of a vLLM cluster serves a request.',
};

async function main(): Promise<void> {
  const { values } = parseFlags(eppFlags, process.argv.slice(2));
  if (values.help) {
    process.stdout.write(helpText(eppFlags, PROGRAM));
    return;
  }
  if (values.version) {
    process.stdout.write(`${packageVersion()}\n`);
    return;
  }
  const options = eppOptions(values);
  if (values.check) {
    checkConfiguration(options, PLUGINS);
    process.stdout.write('the configuration is valid\n');
    return;
  }
  const json = new JsonLogger(options.verbosity, 'llm-d-epp');
  Logger.overrideLogger(json);
  const signals = new ProcessSignals();
  const metrics = new PickerMetrics();
  metrics.on.info.set([environment()['BUILD_COMMIT'] ?? 'unknown', packageVersion()], 1);
  defaultEnvironment({ OTEL_SERVICE_NAME: 'llm-d-epp', OTEL_TRACES_EXPORTER: 'console' });
  const sdk = await loadTracing(options.tracing, packageVersion());
  const epp = await startEpp(options, {
    plugins: PLUGINS,
    logger: json,
    askKubernetes: (target) => new KubernetesDiscovery(target),
    askObjectives: (target) => new KubernetesObjectives(target),
    timers: metrics.pluginTimers(),
    observe: ({ picker, endpoints }) =>
      new PickerTelemetry(metrics, new Tracing(sdk?.tracer), {
        facts: new PickerFacts(picker),
        attempts: new SchedulerAttempts(metrics, endpoints),
        log: new PickerLog(json.verbosity),
        measuresStreams: options.metrics.measuresStreams,
      }),
    companions: [
      endpointNews(),
      scraping(failuresCounted(metrics)),
      metricsPage(metrics, json),
      () => ({ close: () => sdk?.stop() }),
    ],
    onDiscoveryFailure: exitFailed,
  });
  signals.onStop((signal) => epp.drain.run(signal));
  collectStartUp();
  new Logger('epp').log({ ...startLine(options, epp), version: packageVersion() }, 'endpoint picker is ready');
}

main().catch(exitFailed);
