import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { ensurePromtool } from '../install/prometheus.mjs';
import { impossibleValues, knownSeries } from './known-metrics.ts';
import { groupedBy, selectedIn } from './promql.ts';

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface RuleTest {
  readonly name: string;
  readonly alert_rule_test: readonly {
    readonly alertname: string;
    readonly exp_alerts: readonly { readonly exp_labels: Readonly<Record<string, string>> }[];
  }[];
}

const FOLDER = fileURLToPath(new URL('../../dashboards/alerts/', import.meta.url));
const FILES = readdirSync(FOLDER);
const RULES_FILES = FILES.filter((file) => file.endsWith('.rules.yaml'));
const TEST_FILES = FILES.filter((file) => file.endsWith('.rules.test.yaml'));
/** Promtool evaluates every rule for hours of simulated time. */
const LIMIT_MS = 300_000;

// dashboards/src writes files of these shapes
const RULES = RULES_FILES.flatMap(rulesOf);
const ALERTS = RULES.filter(({ alert }) => alert !== undefined);
const CASES = TEST_FILES.flatMap((file) => (read(file) as { tests: RuleTest[] }).tests).map(
  ({ name, alert_rule_test: looks }) => ({
    name,
    alert: looks[0]?.alertname,
    firing: looks.flatMap(({ exp_alerts }) => exp_alerts.map(({ exp_labels }) => exp_labels)),
  }),
);
const RECORDED = RULES.flatMap(({ record }) => (record === undefined ? [] : [record]));
const KNOWN = knownSeries();

const promtool = await ensurePromtool();
if (promtool === undefined) {
  process.stdout.write('SKIPPED: the alert rules are not tested, since there is no promtool.\n');
}
const withPromtool = promtool === undefined ? it.skip : it;
const run = promisify(execFile);

describe('the alert and recording rules', () => {
  withPromtool.each(RULES_FILES)('of %s are rules that Prometheus takes', async (file) => {
    const { stdout } = await run(promtool ?? '', ['check', 'rules', file], { cwd: FOLDER });
    expect(stdout).toContain(`SUCCESS: ${rulesOf(file).length} rules found`);
  });

  withPromtool.each(TEST_FILES)(
    'fire and stay quiet as %s has it',
    async (file) => {
      // promtool exits with 1 where an expectation does not hold, and says which
      const result = await run(promtool ?? '', ['test', 'rules', file], { cwd: FOLDER }).catch(
        (error: unknown) => error,
      );
      expect(result).toMatchObject({ stdout: expect.stringContaining('SUCCESS'), stderr: '' });
    },
    LIMIT_MS,
  );

  it('record each series once', () => {
    expect(RECORDED).toEqual([...new Set(RECORDED)]);
  });

  it('are those of a component of their own in each file, by the names of their groups', () => {
    for (const file of RULES_FILES) {
      const [slug] = file.split('.');
      const { groups } = read(file) as { groups: { name: string }[] };
      for (const { name } of groups) expect(name).toMatch(new RegExp(`^${slug}-`));
    }
  });
});

describe.each(RULES.map((rule) => [titleOf(rule), rule] as const))('%s', (_, { expr }) => {
  const selected = selectedIn(expr);

  it('selects series that there are, by labels and values that they can have', () => {
    for (const series of selected) {
      expect([...KNOWN.keys(), ...RECORDED]).toContain(series.name);
      const labels = KNOWN.get(series.name) ?? new Set();
      expect([...labels]).toEqual(expect.arrayContaining([...series.labels.keys()]));
      expect(impossibleValues(series)).toEqual([]);
    }
  });

  it('sums by labels that its series have', () => {
    const labels = selected.flatMap(({ name }) => [...(KNOWN.get(name) ?? [])]);
    expect(labels).toEqual(expect.arrayContaining(groupedBy(expr)));
  });
});

describe.each(ALERTS.map((rule) => [titleOf(rule), rule] as const))(
  '%s',
  (_, { alert = '', labels = {}, annotations }) => {
    const cases = CASES.filter((situation) => situation.alert === alert);

    it('has a severity, a summary, a description and an entry in the runbook', () => {
      expect(['critical', 'warning']).toContain(labels['severity']);
      expect(annotations).toEqual({
        summary: expect.stringMatching(/^[^\n]{20,160}$/),
        description: expect.stringMatching(/.{10,}/),
        runbook_url: `docs/runbook.md#${alert.toLowerCase()}`,
      });
    });

    it('has a situation in which it fires', () => {
      expect(cases.flatMap(({ firing }) => firing)).toContainEqual(expect.objectContaining(labels));
    });

    it('has a situation in which it does not', () => {
      expect(cases.filter(({ firing }) => firing.length === 0)).not.toHaveLength(0);
    });
  },
);

function titleOf({ record, alert, labels }: Rule): string {
  return record ?? [alert, labels?.['long_window']].filter((word) => word !== undefined).join(' ');
}

function rulesOf(file: string): Rule[] {
  return (read(file) as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules);
}

function read(file: string): unknown {
  return parse(readFileSync(FOLDER + file, 'utf8'));
}
