import { BrokerObserver, brokerConfig, refusalAnswer } from '#broker';
import type { BrokerConfig } from '#broker';
import { PipelineStep, next, respond } from '#pipeline';
import type { PipelineRequest, Step, StepOutcome } from '#pipeline';
import { askedMode } from './asked-mode.ts';
import { PassthroughMode } from './passthrough.mode.ts';
import { QueuedModes } from './queued.modes.ts';

/**
 * Gives clients a queue to put requests on, where they ask for it by a header. What the async processor takes from the queue
 * comes back without that header, and goes through the pipeline as any other request.
 * @see coordinator.md C.9
 */
@PipelineStep('async-broker', brokerConfig, { isFirst: true })
export class AsyncBrokerStep implements Step<BrokerConfig> {
  constructor(
    private readonly passthrough: PassthroughMode,
    private readonly queued: QueuedModes,
    private readonly observer: BrokerObserver,
  ) {}

  readonly execute = async (request: PipelineRequest, params: BrokerConfig): Promise<StepOutcome> => {
    const asked = askedMode(request, params);
    if (asked === undefined) return next();
    if ('refusal' in asked) {
      this.observer.submitted(asked.mode, 'refused');
      return respond(refusalAnswer(asked.refusal, request.scope.id));
    }
    const { mode, tenant } = asked;
    if (mode !== 'passthrough') return respond(await this.queued.answer(request, mode, tenant));
    this.observer.submitted(mode, 'forwarded');
    return next(await this.passthrough.classify(request, tenant));
  };
}
