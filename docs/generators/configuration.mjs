import { jsonSchemaOf, variablesOf } from '#config';
import { BUILT_IN_STEPS } from '#steps';
import { coordinatorConfig, stepsOf } from '../../dist/apps/coordinator/coordinator.config.js';
import { coordinatorFlags } from '../../dist/apps/coordinator/coordinator.flags.js';
import { GENERATED, code, table } from './markdown.mjs';

/** `docs/configuration.md` and the JSON Schema that editors use, both from the schemas that check the file. */
export function configuration() {
  const steps = stepsOf(BUILT_IN_STEPS);
  const schema = coordinatorConfig(steps);
  const json = jsonSchemaOf(schema, { title: 'Configuration of the inference coordinator' });
  return [
    { path: 'config/coordinator.schema.json', text: JSON.stringify(json) },
    { path: 'docs/configuration.md', text: page(json, variablesOf(schema, 'COORDINATOR'), steps) },
  ];
}

const INTRODUCTION = `
One YAML file, named with \`--config\`. \`config/coordinator.yaml\` is an example with every key, \`config/minimal.yaml\` one
with only what is needed; \`config/coordinator.schema.json\` lets an editor complete and check keys.

A flag wins over an environment variable, which wins over the file, which wins over the default. \`--check\` prints the
result and exits. What is wrong is listed all at once, with paths, and the process exits with status 1: an unknown key is
wrong too. Durations are written \`300ms\`, \`30s\`, \`1m30s\`; lists in variables and flags have commas.
`;

function page(json, variables, steps) {
  const { steps: stepsSchema, ...pipeline } = json.properties.pipeline.properties;
  const sections = Object.entries(json.properties).map(([name, section]) => ({
    name,
    description: section.description,
    fields: name === 'pipeline' ? pipeline : (section.properties ?? {}),
    required: section.required ?? [],
  }));
  return [
    GENERATED,
    '# Configuration',
    INTRODUCTION,
    '## Top level',
    keyTable(
      '',
      sectionOf(json, ({ properties }) => properties === undefined),
      variables,
    ),
    ...sections
      .filter(({ fields }) => Object.keys(fields).length > 0)
      .flatMap((section) => [
        `## ${section.name}`,
        section.description,
        keyTable(`${section.name}.`, section, variables),
      ]),
    '## pipeline.steps',
    `${stepsSchema.description} Each is \`{type, params}\`. Steps have no environment variables.`,
    ...steps.flatMap((step) => stepSection(step)),
    '## Flags',
    table(['Flag', 'Key', 'Meaning'], coordinatorFlags.map(flagRow)),
  ].join('\n\n');
}

function sectionOf(json, isField) {
  return {
    fields: Object.fromEntries(Object.entries(json.properties).filter(([, field]) => isField(field))),
    required: [],
  };
}

function stepSection({ type, schema, answers }) {
  const json = jsonSchemaOf(schema, { title: type });
  const { fields, required } = leavesOf(json);
  const about = [json.description, answers === true ? 'It can answer the client, so it may come last.' : undefined];
  return [
    `### ${type}`,
    about.filter((text) => text !== undefined).join(' '),
    Object.keys(fields).length === 0
      ? 'No parameters.'
      : table(['Parameter', 'Type', 'Default', 'Meaning'], Object.entries(fields).map(row(required))),
  ];
}

/** The parameters that hold no further ones, as `quota.prefix`. */
export function leavesOf({ properties = {}, required = [] }, prefix = '') {
  const leaves = { fields: {}, required: required.map((name) => prefix + name) };
  for (const [name, field] of Object.entries(properties)) {
    if (field.properties === undefined) {
      leaves.fields[prefix + name] = field;
      continue;
    }
    const inner = leavesOf(field, `${prefix}${name}.`);
    Object.assign(leaves.fields, inner.fields);
    leaves.required.push(...inner.required);
  }
  return leaves;
}

/** A row for each key. @param variables by path */
export function keyTable(prefix, { fields, required }, variables) {
  const rowOf = row(required);
  const rows = Object.entries(fields).map(([name, field]) => {
    const [, ...rest] = rowOf([name, field]);
    const variable = variables.get(prefix + name);
    return [code(prefix + name), ...rest, variable === undefined ? '' : code(variable)];
  });
  return table(['Key', 'Type', 'Default', 'Meaning', 'Variable'], rows);
}

function row(required) {
  return ([name, field]) => [
    code(name),
    typeOf(field),
    required.includes(name) ? '(required)' : code(field.default),
    field.description ?? '',
  ];
}

function typeOf(field) {
  if (field.const !== undefined) return code(field.const);
  if (field.enum !== undefined) return field.enum.map(code).join(', ');
  switch (field.type) {
    case 'array':
      return `list of ${typeOf(field.items ?? {})}`;
    case 'boolean':
      return 'true, false';
    case 'integer':
      return `integer${boundsOf(field)}`;
    case 'string':
      return field.examples === undefined ? 'text' : `text like ${code(field.examples[0])}`;
    default:
      return otherType(field);
  }
}

function otherType({ type, additionalProperties }) {
  if (type !== 'object') return type ?? 'anything';
  return typeof additionalProperties === 'object' ? `map of ${typeOf(additionalProperties)}` : 'map';
}

/** The bound of a size in MiB is what a byte count can hold, which tells nobody anything. */
const TELLING = 2 ** 32;

function boundsOf({ minimum, maximum }) {
  const most = maximum === undefined || maximum > TELLING ? undefined : maximum;
  if (minimum === undefined) return most === undefined ? '' : ` up to ${most}`;
  return most === undefined ? ` from ${minimum}` : ` ${minimum} to ${most}`;
}

function flagRow({ name, alias, path, help, default: fallback }) {
  const dashed = [name, ...(alias === undefined ? [] : [alias])].map((text) =>
    text.length === 1 ? `-${text}` : `--${text}`,
  );
  const meaning = fallback === undefined ? help : `${help} Default: ${code(fallback)}.`;
  return [dashed.map(code).join(', '), path === undefined ? '' : code(path), meaning];
}
