import { readFileSync, readdirSync } from 'node:fs';
import { jsonSchemaOf } from '#config';
import { BUILT_IN_STEPS } from '#steps';
import { asyncWorkerConfig } from '../../dist/apps/async-worker/async-worker.config.js';
import { coordinatorConfig, stepsOf } from '../../dist/apps/coordinator/coordinator.config.js';
import { withBlocks } from './blocks.mjs';
import { schemaOfValues, valuesOf } from './helm-values.mjs';
import { code, table } from './markdown.mjs';

const CHART = 'config/helm';
/** Longer defaults are looked up in values.yaml. */
const LONGEST_DEFAULT = 60;

/** What a schema says beside what is valid, in those of configurations. */
const LEFT_OUT = ['$schema', 'title', 'default', 'examples'];

/** Folders of the repository that the chart has inside, since it reads nothing from outside. */
const COPIES = [
  { from: 'config/epp', ends: '.yaml', to: `${CHART}/files/picker` },
  { from: 'dashboards/generated', ends: '.json', to: `${CHART}/files/dashboards` },
  { from: 'dashboards/alerts', ends: '.rules.yaml', to: `${CHART}/files/alerts` },
];

/** The README and the schema of the chart, from its values, and what it has of the rest of the repository. */
export function helmChart(root) {
  const values = valuesOf(readFileSync(`${root}${CHART}/values.yaml`, 'utf8'));
  const page = `${CHART}/README.md`;
  const blocks = { values: values.map(section).join('\n\n') };
  return [
    { path: page, text: withBlocks(page, readFileSync(root + page, 'utf8'), blocks) },
    { path: `${CHART}/values.schema.json`, text: JSON.stringify(chartSchema(values)) },
    ...COPIES.flatMap((copy) => copied(root, copy)),
  ];
}

function copied(root, { from, ends, to }) {
  const names = readdirSync(root + from).filter((name) => name.endsWith(ends));
  return names.map((name) => ({ path: `${to}/${name}`, text: readFileSync(`${root}${from}/${name}`, 'utf8') }));
}

function chartSchema(values) {
  const { properties, ...rest } = schemaOfValues(values);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart inference-coordinator',
    ...rest,
    // what a chart above this one gives to all of its charts
    properties: { ...properties, global: { type: 'object' } },
    definitions: {
      coordinatorConfig: configSchema(),
      asyncWorkerConfig: relax(jsonSchemaOf(asyncWorkerConfig, { title: '' })),
    },
  };
}

/** As the coordinator's own, but that nothing has to be there: other values fill it in, and the coordinator checks the outcome. */
function configSchema() {
  const steps = stepsOf(BUILT_IN_STEPS);
  const relaxed = relax(jsonSchemaOf(coordinatorConfig(steps), { title: '' }));
  const others = { not: { enum: steps.map(({ type }) => type) } };
  // the modules of `pipeline.modules` have steps, too
  relaxed.properties.pipeline.properties.steps.items.oneOf.push({
    type: 'object',
    properties: { type: { type: 'string', ...others }, params: { type: 'object' } },
    required: ['type'],
  });
  return relaxed;
}

function relax(schema) {
  if (Array.isArray(schema)) return schema.map(relax);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key]) => !LEFT_OUT.includes(key));
  const entries = kept.map(([key, value]) => [key, key === 'required' ? value.filter(isType) : relax(value)]);
  return Object.fromEntries(entries.filter(([key, value]) => key !== 'required' || value.length > 0));
}

function isType(name) {
  return name === 'type';
}

/** A top-level key: its table, or its row. */
function section(value) {
  const { key, about, children } = value;
  const rows = (children ?? [value]).flatMap(rowsOf);
  const heading = children === undefined ? [] : [`### ${key}`, about];
  return [...heading, table(['Value', 'Default', 'Meaning'], rows)].join('\n\n');
}

function rowsOf({ path, about, value, children }) {
  const own = [code(path), defaultOf(value), about];
  if (children === undefined) return [own];
  const below = children.flatMap(rowsOf);
  return about === '' ? below : [[code(path), '', about], ...below];
}

function defaultOf(value) {
  const text = code(value);
  return text.length > LONGEST_DEFAULT ? 'values.yaml' : text;
}
