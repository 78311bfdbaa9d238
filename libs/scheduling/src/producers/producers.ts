import type { PluginClass } from '../scheduling-plugin.decorator.ts';
import { ApproxPrefixCacheProducer } from './approx-prefix-cache.producer.ts';
import { InFlightLoadProducer } from './inflight-load.producer.ts';
import { P2pSourceProducer } from './p2p-source.producer.ts';
import { TokenProducer } from './token.producer.ts';

export const PRODUCERS: readonly PluginClass<never>[] = [
  TokenProducer,
  ApproxPrefixCacheProducer,
  InFlightLoadProducer,
  P2pSourceProducer,
];
