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
import type { MetricSpec } from '#telemetry/catalogue';
import type { Component } from './component.ts';
import { DATASOURCE } from './panels.ts';
import type { PanelBuilder } from './panels.ts';
import { chosenTarget } from './scopes.ts';
import { selector } from './selector.ts';
import type { Matcher } from './selector.ts';

export interface Row {
  readonly title: string;
  /** Panels side by side; what is left for the last line shares its width. */
  readonly columns?: number;
  readonly panels: readonly PanelBuilder[];
}

export interface DashboardText {
  /** Part of its address: links to it hold for ever. */
  readonly uid: `llm-d-${Component['slug']}-${string}`;
  readonly title: string;
  readonly description: string;
}

/** Variables beside those that every dashboard has. */
type Choice = 'model_name' | 'instance';

/** Width of a dashboard, in Grafana's own unit. */
const GRID = 24;
/** Of every dashboard, whatever it shows: by it each links to all others. */
const TAG = 'llm-d-coordinator';

/** A dashboard as all of ours are: the same variables, links to its siblings, and firing alerts marked in the panels. */
export function houseDashboard(
  component: Component,
  text: DashboardText,
  choices: readonly Choice[],
  rows: readonly Row[],
): Dashboard {
  const builder = new DashboardBuilder(text.title)
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
    .annotation(firingAlerts(component))
    .withVariable(new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'))
    .withVariable(choice('namespace', component.presence, {}).allValue('.*'))
    .withVariable(choice('job', component.presence, NAMESPACE, component.job));
  for (const name of choices) builder.withVariable(CHOICES[name](component));
  for (const row of rows) {
    builder.withRow(new RowBuilder(row.title));
    for (const panel of tiled(row)) builder.withPanel(panel);
  }
  return finished(builder.build());
}

const NAMESPACE = { namespace: { matches: '$namespace' } } as const;

const CHOICES: Readonly<Record<Choice, (component: Component) => QueryVariableBuilder>> = {
  // there may be a thousand models, too many to name each in a query
  model_name: (component) =>
    choice('model_name', component.requests, chosenTarget(component)).label('Model').allValue('.*'),
  instance: (component) => choice('instance', component.presence, chosenTarget(component)),
};

/** @param name of the variable, whose values are those of the label */
function choice(
  label: string,
  metric: MetricSpec,
  within: Readonly<Record<string, Matcher>>,
  name = label,
): QueryVariableBuilder {
  return new QueryVariableBuilder(name)
    .label(label.charAt(0).toUpperCase() + label.slice(1))
    .datasource(DATASOURCE)
    .query(`label_values(${selector(metric.name, within)}, ${label})`)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc)
    .multi(true)
    .includeAll(true)
    .current({ selected: true, text: ['All'], value: ['$__all'] });
}

function firingAlerts({ alerts }: Component): AnnotationQueryBuilder {
  return new AnnotationQueryBuilder()
    .name('Firing alerts')
    .datasource(DATASOURCE)
    .enable(true)
    .iconColor('red')
    .expr(`ALERTS{alertstate="firing", alertname=~"${alerts}.+"}`)
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
