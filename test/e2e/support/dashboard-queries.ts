import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A query of a panel, as Prometheus takes it. */
export interface PanelQuery {
  /** `Coordinator / Overview › Traffic by model, 1`. */
  readonly name: string;
  readonly expr: string;
}

/** What a variable's values are taken from: `label_values(SELECTOR, LABEL)`. */
export interface VariableQuery {
  readonly title: string;
  readonly selector: string;
  readonly label: string;
}

export interface DashboardQueries {
  readonly panels: readonly PanelQuery[];
  /** That of the namespace left out, which is known on Kubernetes only. */
  readonly variables: readonly VariableQuery[];
  /** The file of its component's rules. */
  readonly rules: string;
}

interface Dashboard {
  readonly title: string;
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
  readonly templating: { readonly list: readonly { readonly type: string; readonly query: string }[] };
}

const FOLDER = fileURLToPath(new URL('../../../dashboards/', import.meta.url));
/** What Grafana fills in for a reader who has chosen nothing; the job is given. */
const CHOSEN: Readonly<Record<string, string>> = {
  __rate_interval: '5m',
  namespace: '.*',
  instance: '.+',
  model_name: '.*',
};

/** Everything that the dashboards of a component ask. @param component what the names of its files begin with */
export function dashboardQueries(component: string, job: string): DashboardQueries {
  const files = readdirSync(`${FOLDER}generated`).filter((file) => new RegExp(`^${component}[-.]`).test(file));
  const dashboards = files.map(
    // Grafana's format, of which these fields matter here
    (file) => JSON.parse(readFileSync(`${FOLDER}generated/${file}`, 'utf8')) as Dashboard,
  );
  return {
    panels: dashboards.flatMap((dashboard) => panelQueries(dashboard, job)),
    variables: dashboards.flatMap((dashboard) => variableQueries(dashboard, job)),
    rules: `${FOLDER}alerts/${component}.rules.yaml`,
  };
}

function panelQueries({ title, panels }: Dashboard, job: string): PanelQuery[] {
  return panels.flatMap((panel) =>
    (panel.targets ?? []).map(({ expr }, i) => ({
      name: `${title} › ${panel.title}, ${i + 1}`,
      expr: filledIn(expr, job),
    })),
  );
}

function variableQueries({ title, templating }: Dashboard, job: string): VariableQuery[] {
  return templating.list
    .filter(({ type }) => type === 'query')
    .map(({ query }) => /^label_values\((.+), (\w+)\)$/.exec(query))
    .map((match) => ({ title, selector: filledIn(match?.[1] ?? '', job), label: match?.[2] ?? '' }))
    .filter(({ label }) => label !== 'namespace');
}

function filledIn(query: string, job: string): string {
  return query.replaceAll(/\$(\w+)/g, (_, variable: string) => {
    const value = /^(\w+_)?job$/.test(variable) ? job : CHOSEN[variable];
    if (value === undefined) throw new Error(`nothing is known of $${variable}`);
    return value;
  });
}
