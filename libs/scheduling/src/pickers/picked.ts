import { z } from 'zod';

/** From 0 up to 1, as `Math.random` gives it. */
export type Random = () => number;

/** Parameters of every picker: how many endpoints, the best one first. Fewer than one counts as one. */
export const pickerParams = z
  .strictObject({ maxNumOfEndpoints: z.int().default(1).describe('Endpoints to choose, the best one first.') })
  .prefault({});

export type PickerParams = z.output<typeof pickerParams>;

export function wantedOf({ maxNumOfEndpoints }: PickerParams): number {
  return Math.max(1, maxNumOfEndpoints);
}

/** The items in an order left to chance (Fisher and Yates). */
export function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    // both are within
    [order[last], order[other]] = [order[other] as Item, order[last] as Item];
  }
  return order;
}
