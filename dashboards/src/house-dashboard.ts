/* eslint-disable @typescript-eslint/no-deprecated -- the format of before v2, since that is what every Grafana loads from a file */
import {
  AnnotationQueryBuilder,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { METRICS } from '#telemetry/catalogue';
import { DATASOURCE } from './panels.ts';
import type { PanelBuilder } from './panels.ts';
import { selector } from './selector.ts';

export interface Row {
  readonly title: string;
  /** Panels side by side; what is left for the last line shares its width. */
  readonly columns?: number;
  readonly panels: readonly PanelBuilder[];
}

export interface DashboardText {
  /** Part of its address: links to it hold for ever. */
  readonly uid: `llm-d-coordinator-${string}`;
  readonly title: string;
  readonly description: string;
}

/** Variables beside those that every dashboard has. */
export type Choice = 'model_name' | 'instance';

/** Width of a dashboard, in Grafana's own unit. */
const GRID = 24;
const TAG = 'llm-d-coordinator';

/** A dashboard as all of ours are: the same variables, links to its siblings, and firing alerts marked in the panels. */
export function houseDashboard(text: DashboardText, choices: readonly Choice[], rows: readonly Row[]): Dashboard {
  const builder = new DashboardBuilder(`Coordinator / ${text.title}`)
    .uid(text.uid)
    .description(text.description)
    .tags(['llm-d', TAG])
    .timezone('browser')
    .time({ from: 'now-3h', to: 'now' })
    .refresh('30s')
    .tooltip(DashboardCursorSync.Crosshair)
    .readonly()
    .link(
      new DashboardLinkBuilder('Coordinator')
        .type(DashboardLinkType.Dashboards)
        .tags([TAG])
        .asDropdown(false)
        .includeVars(true)
        .keepTime(true),
    )
    .annotation(firingAlerts())
    .withVariable(new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'))
    .withVariable(choice('namespace', []).allValue('.*'))
    .withVariable(choice('job', ['namespace']));
  for (const name of choices) builder.withVariable(CHOICES[name]());
  for (const row of rows) {
    builder.withRow(new RowBuilder(row.title));
    for (const panel of tiled(row)) builder.withPanel(panel);
  }
  return finished(builder.build());
}

const TARGET = ['namespace', 'job'];

const CHOICES: Readonly<Record<Choice, () => QueryVariableBuilder>> = {
  // there may be a thousand models, too many to name each in a query
  model_name: () => choice('model_name', TARGET, METRICS.requests.name).label('Model').allValue('.*'),
  instance: () => choice('instance', TARGET),
};

/** Every process has `build_info`, so that its labels name the processes there are, and nothing else's. */
function choice(
  label: string,
  within: readonly string[],
  metric: string = METRICS.buildInfo.name,
): QueryVariableBuilder {
  const matchers = Object.fromEntries(within.map((outer) => [outer, { matches: `$${outer}` }]));
  return new QueryVariableBuilder(label)
    .label(label.charAt(0).toUpperCase() + label.slice(1))
    .datasource(DATASOURCE)
    .query(`label_values(${selector(metric, matchers)}, ${label})`)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc)
    .multi(true)
    .includeAll(true)
    .current({ selected: true, text: ['All'], value: ['$__all'] });
}

function firingAlerts(): AnnotationQueryBuilder {
  return new AnnotationQueryBuilder()
    .name('Firing alerts')
    .datasource(DATASOURCE)
    .enable(true)
    .iconColor('red')
    .expr('ALERTS{alertstate="firing", alertname=~"Coordinator.+"}')
    .titleFormat('{{alertname}}')
    .tagKeys('severity')
    .step('60s');
}

/** Gives the panels widths that fill each line of Grafana's grid. */
function tiled({
  panels,
  columns = panels.length === 4 ? 2 : Math.min(panels.length, 3),
}: Row): readonly PanelBuilder[] {
  const last = panels.length - 1;
  return panels.map((panel, index) => {
    const isLastLine = Math.floor(index / columns) === Math.floor(last / columns);
    return panel.span(GRID / (isLastLine ? (last % columns) + 1 : columns));
  });
}

/** Numbers the panels, so that a link to one holds, and leaves links where they are seen: the SDK puts them into a menu. */
function finished({ panels = [], links = [], ...dashboard }: Dashboard): Dashboard {
  return {
    ...dashboard,
    links: links.map(({ placement: _, ...link }) => link),
    panels: panels.map((panel, index) => ({ ...panel, id: index + 1 })),
  };
}
