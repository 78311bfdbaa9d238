import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { QueueFigures } from '#broker';
import type { BrokerConfig } from '#broker';
import { QueueView } from '#telemetry/broker';
import type { CoordinatorConfig } from './coordinator.config.ts';

/** Parameters of the step async-broker, where the pipeline has it. */
export function brokerConfigOf({ pipeline }: CoordinatorConfig): BrokerConfig | undefined {
  const params = pipeline.steps.find(({ type }) => type === 'async-broker')?.params;
  // the schema of this step made them
  return params as BrokerConfig | undefined;
}

/** The queues that requests are put on; undefined where the pipeline has no broker. */
export function brokerQueues(config: CoordinatorConfig, app: NestFastifyApplication): QueueView | undefined {
  const broker = brokerConfigOf(config);
  return broker && new QueueView(app.get(QueueFigures, { strict: false }), queueNames(broker));
}

function queueNames({ default_queue, routes }: BrokerConfig): readonly string[] {
  const named = routes.map(({ queue }) => queue).filter((queue) => queue !== '');
  return [...new Set([default_queue, ...named])];
}
