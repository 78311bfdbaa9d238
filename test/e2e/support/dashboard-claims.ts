import { expect, it } from '@jest/globals';
import type { DashboardQueries } from './dashboard-queries.ts';
import type { PrometheusServer } from './prometheus.server.ts';

/**
 * The tests of every component: what its dashboards and rules ask has an answer, once everything has happened to it.
 * @param prometheus has scraped it
 * @param leastRules so many there are
 */
export function itHasAnswers(
  { panels, variables }: DashboardQueries,
  prometheus: () => PrometheusServer,
  leastRules: number,
): void {
  it.each(panels)('has an answer for $name', async ({ expr }) => {
    const samples = await prometheus().query(expr);
    expect(samples.map(({ value }) => Number(value[1])).filter(Number.isFinite)).not.toHaveLength(0);
  });

  it.each(variables)('has values of $label to choose from in $title', async ({ selector, label }) => {
    expect(await prometheus().labelValues(label, selector)).not.toHaveLength(0);
  });

  it('can evaluate every rule', async () => {
    await prometheus().until(
      async () => (await prometheus().rules()).every(({ health }) => health !== 'unknown'),
      'all rules',
    );
    const states = await prometheus().rules();
    expect(states.length).toBeGreaterThanOrEqual(leastRules);
    expect(states.filter(({ health }) => health !== 'ok')).toEqual([]);
  });
}
