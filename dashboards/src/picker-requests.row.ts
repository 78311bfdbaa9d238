import { PICKER_METRICS } from '#telemetry/picker-catalogue';
import { percentiles } from './curves.ts';
import type { Row } from './house-dashboard.ts';
import { latency, stack, trend } from './panels.ts';
import { chosen } from './picker.component.ts';

const requests = chosen.rate(PICKER_METRICS.requests);

/** What was asked, how it ended, and how fast workers were, as seen from beside the proxy. */
export const PICKER_REQUESTS: Row = {
  title: 'Requests',
  panels: [
    stack(
      {
        title: 'Traffic by model',
        description:
          'Requests that were given an endpoint, a second, by the model that the worker is asked for. `other` holds the models beyond the thousandth.',
        unit: 'reqps',
      },
      [
        {
          expr: chosen.rate(PICKER_METRICS.requests, { by: ['target_model_name'] }),
          legend: '{{target_model_name}}',
        },
      ],
    ),
    stack(
      {
        title: 'Errors by code',
        description:
          'Requests that failed, a second, each once. `PreconditionFailed` are 412s of the probe and no fault. `ModelServerError`: the worker answered other than 200. `Unknown`: the exchange with the proxy broke.',
        unit: 'reqps',
      },
      [
        { expr: chosen.rate(PICKER_METRICS.requestErrors, { by: ['error_code'] }), legend: '{{error_code}}' },
        { expr: `0 * ${requests}`, legend: 'none' },
      ],
    ),
    stack(
      {
        title: 'In flight by model',
        description: 'Requests that were sent out and are not over.',
        unit: 'short',
      },
      [
        {
          expr: chosen.level(PICKER_METRICS.requestsRunning, { by: ['target_model_name'] }),
          legend: '{{target_model_name}}',
        },
      ],
    ),
    latency(
      {
        title: 'Time to first token',
        description:
          'From the request headers to the first byte of the answer; of an answer in one piece, that is nearly all of it. It grows with queues: see "Queue".',
      },
      percentiles(chosen, PICKER_METRICS.timeToFirstToken),
    ),
    latency(
      {
        title: 'Time per output token',
        description:
          'Of streams: from the first byte to the end, over the tokens behind the first one. And p95 of the whole duration over all tokens, of every answer that told its usage.',
      },
      [
        ...percentiles(chosen, PICKER_METRICS.timePerOutputToken),
        { expr: chosen.quantile(0.95, PICKER_METRICS.perOutputToken), legend: 'duration over tokens, p95' },
      ],
    ),
    latency(
      {
        title: 'Gap between chunks',
        description:
          'Of streams, as the proxy hands them over. Far above "Time per output token": tokens come in bunches.',
      },
      percentiles(chosen, PICKER_METRICS.betweenTokens),
    ),
    latency(
      {
        title: 'Request duration',
        description:
          'From the request headers to the end of the answer. It grows with the length of answers: compare with "Tokens" before worrying.',
      },
      percentiles(chosen, PICKER_METRICS.requestDuration),
    ),
    trend(
      {
        title: 'Tokens',
        description: 'Prompt tokens, those of them that the worker had cached, and output tokens, a second, by usage.',
        unit: 'suffix: tok/s',
      },
      [
        { expr: chosen.total(PICKER_METRICS.inputTokens), legend: 'prompt' },
        { expr: chosen.total(PICKER_METRICS.cachedTokens), legend: 'prompt, cached' },
        { expr: chosen.total(PICKER_METRICS.outputTokens), legend: 'output' },
      ],
    ),
    trend(
      {
        title: 'Body sizes (p95)',
        description: 'Bytes of requests and of answers. The picker holds a request until it is whole, an answer never.',
        unit: 'bytes',
      },
      [
        { expr: chosen.quantile(0.95, PICKER_METRICS.requestSize), legend: 'request' },
        { expr: chosen.quantile(0.95, PICKER_METRICS.responseSize), legend: 'answer' },
      ],
    ),
    trend(
      {
        title: 'Models rewritten',
        description:
          'Requests a second whose worker is asked for another model than the client named: by a rule or by a header. The answer names the one that the client named.',
        unit: 'reqps',
      },
      [
        {
          expr: chosen.rate(PICKER_METRICS.modelRewrites, { by: ['model_name', 'target_model'] }),
          legend: '{{model_name}} as {{target_model}}',
        },
        { expr: `0 * ${requests}`, legend: 'none' },
      ],
    ),
  ],
};
