import { AlwaysDecider, MultimodalDecider } from './deciders/always.deciders.ts';
import { PrefixBasedDecider } from './deciders/prefix-based-pd.decider.ts';
import { ByLabelFilter } from './filters/by-label.filter.ts';
import { LabelSelectorFilter } from './filters/label-selector.filter.ts';
import { DecodeFilter, EncodeFilter, PrefillFilter } from './filters/role.filters.ts';
import { DisaggHeadersHandler } from './handlers/disagg-headers.handler.ts';
import { DisaggProfileHandler } from './handlers/disagg-profile.handler.ts';
import { HeaderProfileHandler } from './handlers/header-profile.handler.ts';
import { SingleProfileHandler } from './handlers/single-profile.handler.ts';
import { PARSERS } from './parsing/parsers.ts';
import { MaxScorePicker } from './pickers/max-score.picker.ts';
import { RandomPicker } from './pickers/random.picker.ts';
import { WeightedRandomPicker } from './pickers/weighted-random.picker.ts';
import { PRODUCERS } from './producers/producers.ts';
import { EndpointPinScreener } from './reservation/endpoint-pin.screener.ts';
import { ReserveEndpointGate } from './reservation/reserve-endpoint.gate.ts';
import type { PluginClass } from './scheduling-plugin.decorator.ts';
import { DATA_LAYER } from './scrape/data-layer.ts';
import { ActiveRequestScorer } from './scorers/active-request.scorer.ts';
import { KvCacheUtilizationScorer } from './scorers/kv-cache-utilization.scorer.ts';
import { LoadAwareScorer } from './scorers/load-aware.scorer.ts';
import { PrefixCacheScorer } from './scorers/prefix-cache.scorer.ts';
import { QueueScorer, RunningRequestsScorer } from './scorers/queue.scorer.ts';

/** Every plugin that a configuration can ask for. */
export const PLUGINS: readonly PluginClass<never>[] = [
  ...PARSERS,
  ...[SingleProfileHandler, HeaderProfileHandler, DisaggProfileHandler, DisaggHeadersHandler],
  ...[PrefixBasedDecider, AlwaysDecider, MultimodalDecider],
  ...[LabelSelectorFilter, ByLabelFilter, EncodeFilter, PrefillFilter, DecodeFilter],
  ...[EndpointPinScreener, ReserveEndpointGate],
  ...PRODUCERS,
  ...[PrefixCacheScorer, QueueScorer, RunningRequestsScorer, KvCacheUtilizationScorer, LoadAwareScorer],
  ...[ActiveRequestScorer],
  ...[MaxScorePicker, RandomPicker, WeightedRandomPicker],
  ...DATA_LAYER,
];
