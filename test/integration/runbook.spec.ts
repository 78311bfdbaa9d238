import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { ASYNC_WORKER_ATTRIBUTES } from '../../libs/telemetry/src/async-worker/async-worker-attributes.ts';
import { ATTRIBUTES } from '../../libs/telemetry/src/attributes.ts';
import { SIDECAR_ATTRIBUTES } from '../../libs/telemetry/src/sidecar/sidecar-attributes.ts';
import { impossibleValues, knownSeries } from './known-metrics.ts';
import { selectedIn } from './promql.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const RUNBOOK = readFileSync(`${ROOT}docs/runbook.md`, 'utf8');
const CONFIGURATION = ['configuration', 'async-worker']
  .map((page) => readFileSync(`${ROOT}docs/${page}.md`, 'utf8'))
  .join('\n');
const ALERTS = new Set(alertNames());
const [INTRODUCTION = '', ...SECTIONS] = RUNBOOK.split(/^## /m);
const ENTRIES = SECTIONS.map((section) => ({ heading: section.slice(0, section.indexOf('\n')).trim(), text: section }));
const PANELS = panelNames();
const ATTRIBUTE_NAMES: readonly string[] = [ATTRIBUTES, SIDECAR_ATTRIBUTES, ASYNC_WORKER_ATTRIBUTES].flatMap(
  (names): string[] => Object.values(names),
);
const KNOWN = knownSeries();
const KEYS = new Set(CONFIGURATION.match(/[a-z][\w.]*/g));
/** A configuration key, or an attribute of a span. */
const DOTTED =
  /`((?:server|gateway|coordinator|worker|redis|pipeline|readiness|metrics|admin|llm_d|gen_ai|http|url|error)\.[a-z_.]+)`/g;
const PARTS = ['Meaning.', 'See.', 'Causes.', 'Do.', 'Over when.'];

describe('docs/runbook.md', () => {
  it('has an entry for every alert, and an alert for every entry', () => {
    expect(ENTRIES.map(({ heading }) => heading).toSorted()).toEqual([...ALERTS].toSorted());
  });

  it('links to headings that it has', () => {
    const anchors = [...RUNBOOK.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor = '']) => anchor);
    expect(ENTRIES.map(({ heading }) => heading.toLowerCase())).toEqual(expect.arrayContaining(anchors));
  });

  it('begins with where to look in general', () => {
    for (const word of ['Dashboards', 'Log', 'One request', 'Traces']) expect(INTRODUCTION).toContain(`**${word}**`);
  });
});

describe.each(ENTRIES)('the entry $heading', ({ text }) => {
  it('says what it means, how to see it, why, what to do, and when it is over', () => {
    const parts = [...text.matchAll(/^\*\*([\w ]+\.)\*\*/gm)].map(([, part]) => part);
    expect(parts).toEqual(PARTS);
  });

  it('names panels that there are', () => {
    const named = [...text.matchAll(/_([\w ]+ › [^_]+)_/g)].map(([, panel = '']) => panel);
    expect(named).not.toHaveLength(0);
    expect(PANELS).toEqual(expect.arrayContaining(named));
  });

  it('has a query, a log line and a trace to look at', () => {
    const [query = ''] = [...text.matchAll(/```promql\n([^`]*)```/g)].map(([, code = '']) => code);
    expect(selectedIn(query)).not.toHaveLength(0);
    for (const series of selectedIn(query)) {
      expect([...KNOWN.keys()]).toContain(series.name);
      expect([...(KNOWN.get(series.name) ?? [])]).toEqual(expect.arrayContaining([...series.labels.keys()]));
      expect(impossibleValues(series)).toEqual([]);
    }
    expect(text).toMatch(/^Log( at level \d)?: .*Trace: /ms);
  });

  it('names attributes and configuration keys that there are', () => {
    const names = [...text.matchAll(DOTTED)].map(([, name = '']) => name);
    expect(names.filter((name) => !KEYS.has(name) && !ATTRIBUTE_NAMES.includes(name))).toEqual([]);
  });
});

function alertNames(): string[] {
  const folder = `${ROOT}dashboards/alerts/`;
  const files = readdirSync(folder).filter((file) => file.endsWith('.rules.yaml'));
  return files.flatMap((file) => {
    // The generator writes rules of this shape
    const { groups } = parse(readFileSync(folder + file, 'utf8')) as { groups: { rules: { alert?: string }[] }[] };
    return groups.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? []));
  });
}

/** `Overview › Time to first token`, as the runbook names them. */
function panelNames(): string[] {
  const folder = `${ROOT}dashboards/generated/`;
  return readdirSync(folder).flatMap((file) => {
    // Grafana's format, of which two fields matter here
    const { title, panels } = JSON.parse(readFileSync(folder + file, 'utf8')) as {
      title: string;
      panels: { title: string }[];
    };
    return panels.map((panel) => `${title.replace('Coordinator / ', '')} › ${panel.title}`);
  });
}
