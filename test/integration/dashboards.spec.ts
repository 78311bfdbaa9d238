import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { METRICS } from '#telemetry/catalogue';
import { CATALOGUES, impossibleValues, knownSeries, metricOf } from './known-metrics.ts';
import { groupedBy, selectedIn } from './promql.ts';

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: { readonly uid: string };
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string; readonly noValue?: string } };
  readonly targets?: readonly {
    readonly expr: string;
    readonly exemplar?: boolean;
    readonly datasource: { uid: string };
  }[];
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
  readonly links: readonly { readonly tags: readonly string[] }[];
  readonly tags: readonly string[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
}

const FOLDER = fileURLToPath(new URL('../../dashboards/', import.meta.url));
const FILES = readdirSync(`${FOLDER}generated`);
// Written by the generator, whose types have this shape
const DASHBOARDS = FILES.map((file) => JSON.parse(readFileSync(`${FOLDER}generated/${file}`, 'utf8')) as Dashboard);
const PANELS = DASHBOARDS.flatMap((dashboard) =>
  dashboard.panels
    .filter(({ type }) => type !== 'row')
    .map((panel) => ({ dashboard, panel, name: nameOf(dashboard, panel) })),
);
const QUERIES = PANELS.flatMap(({ dashboard, panel, name }) =>
  (panel.targets ?? []).map((target) => ({ ...target, dashboard, panel, name })),
);
const KNOWN = knownSeries();

function nameOf({ title }: Dashboard, panel: Panel): string {
  return `${title} › ${panel.title}`;
}

/** `llm-d-async-worker-overview` is one of the async worker. */
function componentOf(uid: string): string | undefined {
  return /^llm-d-(.+)-[a-z]+$/.exec(uid)?.[1];
}

/** The variable that chooses the scrape job. */
function jobOf({ uid }: Dashboard): string {
  const component = componentOf(uid) ?? '';
  return component === 'coordinator' ? 'job' : `${component.replaceAll('-', '_')}_job`;
}

describe('dashboards/generate.mjs', () => {
  it('has written what the sources describe', async () => {
    const run = promisify(execFile)(process.execPath, [`${FOLDER}generate.mjs`, '--check']);
    await expect(run).resolves.toMatchObject({ stderr: '' });
  });
});

describe.each(DASHBOARDS.map((dashboard) => [dashboard.title, dashboard] as const))('%s', (_, dashboard) => {
  it('has an address of its own that starts with its component', () => {
    expect(dashboard.uid).toMatch(/^llm-d-[a-z]+(-[a-z]+)?-[a-z]+$/);
    expect(FILES.some((file) => new RegExp(`^${componentOf(dashboard.uid)}[-.]`).test(file))).toBe(true);
    expect(DASHBOARDS.filter(({ uid }) => uid === dashboard.uid)).toHaveLength(1);
  });

  it('lets its reader choose the data source, the namespace and the job', () => {
    const [datasource, namespace, job] = dashboard.templating.list.map(({ name }) => name);
    expect([datasource, namespace]).toEqual(['datasource', 'namespace']);
    expect(job).toBe(jobOf(dashboard));
  });

  it('links to its siblings, and they to it', () => {
    const linked = dashboard.links.flatMap(({ tags }) => tags);
    expect(dashboard.tags).toEqual(expect.arrayContaining(linked));
    expect(linked).toEqual(['llm-d-coordinator']);
  });

  it('carries no job to the dashboards of another component', () => {
    const others = DASHBOARDS.filter(({ uid }) => componentOf(uid) !== componentOf(dashboard.uid));
    const variables = others.flatMap(({ templating }) => templating.list.map(({ name }) => name));
    expect(variables).not.toContain(jobOf(dashboard));
  });

  it('names every panel once', () => {
    const titles = dashboard.panels.map(({ title }) => title);
    expect(titles).toEqual([...new Set(titles)]);
  });
});

describe.each(PANELS.map(({ name, panel, dashboard }) => [name, panel, dashboard] as const))(
  '%s',
  (_, panel, dashboard) => {
    const queries = (panel.targets ?? []).map(({ expr }) => expr);
    const selected = queries.flatMap(selectedIn);

    it('says what it shows, in which unit, from the chosen data source, and says so when there is nothing', () => {
      expect(panel.description?.length).toBeGreaterThan(20);
      expect(panel.fieldConfig?.defaults).toMatchObject({ unit: expect.any(String), noValue: 'no data' });
      expect(panel.datasource?.uid).toBe('${datasource}');
      expect(panel.targets?.map(({ datasource }) => datasource.uid)).toEqual(queries.map(() => '${datasource}'));
    });

    it('asks for series that there are, by labels that they have', () => {
      expect(selected).not.toHaveLength(0);
      for (const { name, labels } of selected) {
        expect([...KNOWN.keys()]).toContain(name);
        expect([...(KNOWN.get(name) ?? [])]).toEqual(expect.arrayContaining([...labels.keys()]));
      }
    });

    it('asks for values that these labels can have', () => {
      expect(selected.flatMap(impossibleValues)).toEqual([]);
    });

    it.each(queries)('sums by labels that its series have: %s', (query) => {
      const labels = selectedIn(query).flatMap(({ name }) => [...(KNOWN.get(name) ?? [])]);
      expect(labels).toEqual(expect.arrayContaining(groupedBy(query)));
    });

    it('uses variables that its dashboard has, and is narrowed to the chosen job', () => {
      const variables = queries.flatMap((query) => [...query.matchAll(/\$(\w+)/g)]).map(([, name = '']) => name);
      const there = [...dashboard.templating.list.map(({ name }) => name), '__rate_interval'];
      expect(there).toEqual(expect.arrayContaining(variables));
      expect(selected.map(({ labels }) => labels.get('job'))).toEqual(selected.map(() => `$${jobOf(dashboard)}`));
    });
  },
);

describe('the dashboards together', () => {
  it.each(CATALOGUES.flatMap((catalogue) => Object.values(catalogue).map(({ name }) => name)))('show %s', (name) => {
    const shown = QUERIES.flatMap(({ expr }) => selectedIn(expr)).map((series) => metricOf(series.name));
    expect(shown).toContain(name);
  });

  it('have exemplars on every percentile of seconds, where they lead to traces', () => {
    const percentiles = QUERIES.filter(
      ({ expr, panel }) =>
        expr.includes('histogram_quantile') && panel.fieldConfig?.defaults.unit === 's' && panel.type !== 'stat',
    );
    expect(percentiles.length).toBeGreaterThan(10);
    expect(percentiles.filter(({ exemplar }) => exemplar !== true).map(({ name }) => name)).toEqual([]);
  });

  it('take the 412 rate as deferred over all probes', () => {
    const probes = METRICS.probes.name;
    const rate = QUERIES.find(({ name }) => name.endsWith('Overview › 412 rate'));
    const series = selectedIn(rate?.expr ?? '').filter(({ name }) => name === probes);
    expect(series.map(({ labels }) => labels.get('result'))).toEqual(['deferred', undefined, undefined]);
  });
});
