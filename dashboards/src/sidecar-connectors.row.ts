import { SIDECAR_METRICS } from '#telemetry/sidecar-catalogue';
import { ratio } from './expression.ts';
import type { Row } from './house-dashboard.ts';
import { stack, trend } from './panels.ts';
import { chosen } from './sidecar.component.ts';

/** What connectors did beside the stages themselves, and what they left out. */
export const SIDECAR_CONNECTORS: Row = {
  title: 'Connectors',
  panels: [
    trend(
      {
        title: 'Prefill retries',
        description:
          'Prefills a second that were sent again, to the same worker. Zero with `--prefill-max-retries` 0. Others: a worker starts, or is behind something that answers for it.',
        unit: 'cps',
      },
      [{ expr: chosen.rate(SIDECAR_METRICS.prefillRetries), legend: 'retries' }],
    ),
    stack(
      {
        title: 'Skipped stages',
        description:
          'Requests a second with a stage that was asked for and did not run, or ran for nothing. `no_kv_params`: prefill told decode nothing, so the prompt is computed twice; the connectors differ. `prompt_logprobs` and the like: the request cannot be split.',
        unit: 'reqps',
      },
      [{ expr: chosen.rate(SIDECAR_METRICS.skipped, { by: ['reason'] }), legend: '{{reason}}' }],
    ),
    stack(
      {
        title: 'Denied targets',
        description:
          'Workers a second that a header named and that are not in the pool, or are no address. The endpoint picker names none such: somebody reaches the sidecar past it, or the pool has just changed.',
        unit: 'cps',
      },
      [{ expr: chosen.rate(SIDECAR_METRICS.denied, { by: ['role'] }), legend: '{{role}}' }],
    ),
    trend(
      {
        title: 'Chunks',
        description:
          'Calls a second that chunked decode made. Zero with `--decode-chunk-size` 0. Many for each request: the size is small, and each call computes what its cache has lost.',
        unit: 'cps',
      },
      [{ expr: chosen.rate(SIDECAR_METRICS.chunks), legend: 'chunks' }],
    ),
    trend(
      {
        title: 'Encode items',
        description:
          'Media items a second that went to encode workers. No item at traffic with media: see "Skipped stages".',
        unit: 'cps',
      },
      [{ expr: chosen.rate(SIDECAR_METRICS.encodeItems), legend: 'items' }],
    ),
    trend(
      {
        title: 'Prompt tokens cached by prefill',
        description:
          'Tokens of a prompt that the prefill worker had cached, for each prefill, as `nixlv2` tells. Falling: prompts are new, or requests are not sent to where their prefix is.',
        unit: 'short',
      },
      [
        {
          expr: ratio(
            chosen.rate(SIDECAR_METRICS.prefilledTokens),
            chosen.observations(SIDECAR_METRICS.prefillDuration),
          ),
          legend: 'tokens a prefill',
        },
      ],
    ),
    trend(
      {
        title: 'Look-ups of MoRI-IO hosts',
        description:
          'Look-ups a second in the background, those that gave another address and those that gave none. The last: the name service; addresses of before stay in use. Zero without `--moriio-write-mode`.',
        unit: 'cps',
      },
      [
        { expr: chosen.rate(SIDECAR_METRICS.reresolved), legend: 'looked up' },
        { expr: chosen.rate(SIDECAR_METRICS.ipChanged), legend: 'another address' },
        { expr: chosen.rate(SIDECAR_METRICS.lookupFailures), legend: 'failed' },
      ],
    ),
  ],
};
