import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Which libs a lib may import; downwards only. Specs, and fixtures that specs share, may import #testing as well. */
export const ALLOWED = {
  foundation: [],
  config: ['foundation'],
  json: ['foundation'],
  'ext-proc': [],
  protocol: ['foundation', 'json'],
  connectors: ['foundation', 'config', 'json', 'protocol'],
  gateway: ['foundation', 'config', 'json', 'protocol'],
  pipeline: ['foundation', 'config', 'json', 'protocol'],
  scheduling: ['foundation', 'config', 'json', 'protocol'],
  broker: ['foundation', 'config', 'json', 'protocol'],
  dispatch: ['foundation', 'config', 'json', 'protocol', 'gateway', 'broker'],
  steps: ['foundation', 'config', 'json', 'protocol', 'connectors', 'gateway', 'pipeline', 'broker'],
  // json here and below: docs/decisions/0006
  disaggregation: ['foundation', 'config', 'json', 'protocol', 'connectors', 'gateway', 'pipeline'],
  telemetry: [
    'foundation',
    'config',
    'json',
    'protocol',
    'gateway',
    'pipeline',
    'scheduling',
    'disaggregation',
    'broker',
    'dispatch',
  ],
  runtime: ['foundation', 'config', 'telemetry'],
  server: ['foundation', 'config', 'json', 'protocol', 'pipeline', 'gateway', 'broker'],
  testing: ['foundation', 'json', 'protocol', 'pipeline'],
};

const APP_LIBS = Object.keys(ALLOWED).filter((lib) => lib !== 'testing');

/** Folders with borders, and the libs that they may import. A folder inside a lib has the lib's row and packages of its own. */
const FOLDERS = {
  ...Object.fromEntries(Object.entries(ALLOWED).map(([lib, libs]) => [`libs/${lib}`, libs])),
  'libs/steps/src/render': ALLOWED.steps,
  'libs/steps/src/replace-media-urls': ALLOWED.steps,
  // broker, too: queues look the same at a worker as at a coordinator
  'apps/async-worker': [...APP_LIBS, 'telemetry/async-worker', 'telemetry/broker'],
  'apps/coordinator': [...APP_LIBS, 'telemetry/broker'],
  // apart from the rest of telemetry, so that a coordinator does not load what a picker needs
  'apps/epp': [...APP_LIBS, 'telemetry/picker'],
  'apps/sidecar': [...APP_LIBS, 'telemetry/sidecar'],
  'apps/simulator': APP_LIBS,
  dashboards: [
    'telemetry/catalogue',
    'telemetry/async-worker-catalogue',
    'telemetry/picker-catalogue',
    'telemetry/sidecar-catalogue',
  ],
};

/** Packages that only these folders may import. */
export const RESERVED = {
  '@opentelemetry/.*': ['libs/telemetry'],
  'prom-client': ['libs/telemetry'],
  pino: ['libs/telemetry'],
  undici: [
    'libs/gateway',
    'libs/scheduling',
    'libs/steps/src/render',
    'libs/steps/src/replace-media-urls',
    'libs/testing',
    'apps/simulator',
  ],
  fastify: ['libs/server', 'libs/runtime', 'apps'],
  '@nestjs/platform-fastify': ['libs/server', 'libs/runtime', 'apps'],
  yaml: ['libs/config', 'libs/scheduling', 'apps/simulator'],
  '@grpc/.*': ['libs/ext-proc', 'apps/epp', 'apps/simulator'],
  '@kubernetes/client-node': ['libs/scheduling'],
  'xxhash-wasm': ['libs/scheduling'],
  redis: ['libs/broker'],
};

/** Whether `folder` is `owner`, or lies in it. */
const isWithin = (folder, owner) => folder === owner || folder.startsWith(`${owner}/`);

function patterns(folder, libs) {
  const names = libs.map((lib) => `#${lib}`).join(', ') || 'no other lib';
  const foreign = Object.entries(RESERVED).filter(([, owners]) => !owners.some((owner) => isWithin(folder, owner)));
  return [
    { regex: libs.length === 0 ? '^#' : `^#(?!(${libs.join('|')})$)`, message: `${folder} may import ${names}.` },
    { regex: String.raw`^\.\./\.\.`, message: 'Leave a lib through its #name; inside one, keep folders flat.' },
    ...foreign.map(([name, owners]) => ({ regex: `^${name}(/|$)`, message: `Reserved for ${owners.join(', ')}.` })),
    // the ports, and nothing that acts
    ...(folder === 'libs/telemetry'
      ? [
          {
            regex: '^#(broker|disaggregation|dispatch|gateway|pipeline|scheduling)$',
            importNamePattern: '(Client|Service|Module|Registry|Connection|RequestStore)$',
          },
        ]
      : []),
  ];
}

const borders = Object.entries(FOLDERS).flatMap(([folder, libs]) =>
  // a later block replaces the rule, so specs have it built anew
  [
    [`${folder}/**/*.ts`, libs],
    [`${folder}/**/*.{spec,fixture}.ts`, [...libs, 'testing']],
  ].map(([files, allowed]) => ({
    files: [files],
    rules: { 'no-restricted-imports': ['error', { patterns: patterns(folder, allowed) }] },
  })),
);

const TESTS = ['**/*.{spec,e2e-spec,fixture}.ts', 'test/**/*.ts', 'libs/testing/**/*.ts'];

const MAX_LINES = { max: 250, skipBlankLines: true, skipComments: true };

/** A leading underscore says that a name is there for its place only. */
const UNUSED = { argsIgnorePattern: '^_', varsIgnorePattern: '^_', destructuredArrayIgnorePattern: '^_' };

const NODE_GLOBALS = Object.fromEntries(Object.getOwnPropertyNames(globalThis).map((name) => [name, 'readonly']));

export default defineConfig(
  { ignores: ['dist/', 'coverage/', 'test/conformance/run.mjs'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      // `return f();` of a function that returns nothing is an early exit that reads well
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // Nest types its options as classes, and is given object literals
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-unused-vars': ['error', UNUSED],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      complexity: ['error', 10],
      'max-lines': ['error', MAX_LINES],
      'no-console': 'error',
      'no-restricted-exports': [
        'error',
        {
          restrictDefaultExports: {
            direct: true,
            named: true,
            defaultFrom: true,
            namedFrom: true,
            namespaceFrom: true,
          },
        },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only #config reads the environment: use its environment().' },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: 'TSEnumDeclaration', message: 'Use a union of strings.' },
        { selector: 'ExportAllDeclaration', message: 'Name what is exported.' },
      ],
    },
  },
  ...borders,
  // a spec may set what the code under test is to read
  { files: ['libs/config/**/*.ts', ...TESTS], rules: { 'no-restricted-properties': 'off' } },
  // what a test hands over returns a promise whether or not it waits
  { files: TESTS, rules: { '@typescript-eslint/require-await': 'off' } },
  // a reference is written out in one piece, to be compared by eye
  { files: ['**/*.fixture.ts'], rules: { complexity: 'off' } },
  // vLLM speaks what OpenAI's types call deprecated: max_tokens, seed
  { files: ['test/**/*.ts'], rules: { '@typescript-eslint/no-deprecated': 'off' } },
  {
    // plain scripts: they have no types to check, and print
    files: ['**/*.mjs', '**/*.cjs'],
    languageOptions: { globals: NODE_GLOBALS },
    rules: {
      complexity: ['error', 10],
      'max-lines': ['error', MAX_LINES],
      'no-undef': 'error',
      'no-unused-vars': ['error', UNUSED],
      'no-var': 'error',
      'prefer-const': 'error',
    },
  },
);
