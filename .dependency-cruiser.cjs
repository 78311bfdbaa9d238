// A second net under the borders of eslint.config.mjs: the same table, seen from resolved files, so that a dynamic import
// or a path around a #name is found too. And cycles, which no lint rule of one file can see.
const { ALLOWED, RESERVED } = require('./eslint.config.mjs');

/** Specs, and fixtures that specs share. */
const SPEC = String.raw`\.(spec|fixture)\.ts$`;
/** Another lib than this one, by resolved path. */
const LIB = '^libs/([^/]+)/';

const libRules = Object.entries(ALLOWED).map(([lib, allowed]) => ({
  name: `${lib}-imports`,
  comment: `${lib} may import ${allowed.join(', ') || 'no other lib'}`,
  severity: 'error',
  from: { path: `^libs/${lib}/`, pathNot: SPEC },
  to: { path: LIB, pathNot: `^libs/(${[lib, ...allowed].join('|')})/` },
}));

const reservedRules = Object.entries(RESERVED).map(([name, owners]) => ({
  name: `reserved-${name.replaceAll(/\W+/g, '-').replaceAll(/^-|-$/g, '')}`,
  comment: `only ${owners.join(', ')}`,
  severity: 'error',
  from: { path: '^(libs|apps|dashboards)/', pathNot: owners.map((owner) => `^${owner}/`) },
  to: { path: `node_modules/${name}/` },
}));

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'a cycle has no bottom to read it from, and its classes can be undefined where a decorator needs them',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...libRules,
    ...reservedRules,
    {
      name: 'libs-know-no-app',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^(apps|dashboards|test)/' },
    },
    {
      name: 'apps-know-no-app',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'testing-is-for-specs',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: [SPEC, '^libs/testing/'] },
      to: { path: '^libs/testing/' },
    },
    {
      name: 'libs-by-their-barrel',
      comment: 'another lib is entered by its #name',
      severity: 'error',
      from: { path: '^(libs|apps)/([^/]+)/' },
      to: {
        path: '^libs/',
        pathNot: ['^$1/$2/', '^libs/[^/]+/src/((async-worker|broker|picker|sidecar)/)?index\\.ts$'],
      },
    },
    {
      name: 'no-development-package',
      comment: 'what runs in production may import no devDependency',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: [SPEC, '^libs/testing/', '/testing/'] },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'resolvable',
      comment: 'what cannot be resolved cannot be checked either',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { conditionNames: ['source', 'import', 'node', 'default'], exportsFields: ['exports'] },
  },
};
