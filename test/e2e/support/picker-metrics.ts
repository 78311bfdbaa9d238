import type { PickerProcess } from './picker.process.ts';

/** The sum of a metric's series that have these labels, from the picker's own page; 0 where there are none. */
export async function metricOf(
  { adminUrl }: Pick<PickerProcess, 'adminUrl'>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const page = await (await fetch(`${adminUrl}/metrics`)).text();
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const values = page.split('\n').flatMap((line) => {
    const [, series, set = '', value] = /^([a-z0-9_:]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    const has = series === name && wanted.every((label) => set.includes(label));
    return has ? [Number(value)] : [];
  });
  return values.reduce((sum, value) => sum + value, 0);
}
