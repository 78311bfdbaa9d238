import { ApproxPrefixCacheProducer, DisaggProfileHandler, InFlightLoadProducer } from '#scheduling';
import type { PickerParts } from '#scheduling';

/** A plugin under its name and type. */
export interface Known<Part> {
  readonly name: string;
  readonly type: string;
  readonly plugin: Part;
}

/** What is known of a picker's plugins by whoever measures them. */
export class PickerFacts {
  /** Types by name. */
  readonly types: ReadonlyMap<string, string>;
  readonly prefixProducers: readonly Known<ApproxPrefixCacheProducer>[];
  readonly inFlightProducers: readonly Known<InFlightLoadProducer>[];
  /** The profile handler, where it gives stages workers of their own. */
  readonly disaggregation: Known<DisaggProfileHandler> | undefined;

  constructor({ plugins, handler }: Pick<PickerParts, 'plugins' | 'handler'>) {
    this.types = new Map(plugins.map(({ name, type }) => [name, type]));
    this.prefixProducers = plugins.flatMap(({ name, type, plugin }) =>
      plugin instanceof ApproxPrefixCacheProducer ? [{ name, type, plugin }] : [],
    );
    this.inFlightProducers = plugins.flatMap(({ name, type, plugin }) =>
      plugin instanceof InFlightLoadProducer ? [{ name, type, plugin }] : [],
    );
    [this.disaggregation] = plugins.flatMap(({ name, type, plugin }) =>
      name === handler.name && plugin instanceof DisaggProfileHandler ? [{ name, type, plugin }] : [],
    );
  }
}
