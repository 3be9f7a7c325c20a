// The layers of src/, read down: a folder imports only folders above it in this list.
const layers = [
  'base',
  'secrets',
  'channel',
  'definition',
  'dialect',
  'sdk',
  'fleet',
  'outside',
  'gate',
  'model',
  'jobs',
  'plugins',
  'conformance',
  'runtime',
  'surface',
  'testing',
];
const channelStages = ['bytes', 'frame', 'message', 'link', 'peer'];
const tests = '[.](test|soak)[.]ts$';

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const forbidden = [
  ...layers.slice(0, -1).map((layer, index) => ({
    name: `${layer}-imports-only-above`,
    comment: `${layer}/ may import: ${layers.slice(0, index).join(', ') || 'nothing'}.`,
    severity: /** @type {const} */ ('error'),
    from: { path: `^src/${layer}/`, pathNot: tests },
    to: { path: `^src/(${layers.slice(index + 1).join('|')})/` },
  })),
  ...layers.slice(0, -2).map((layer, index) => ({
    name: `${layer}-tests-import-only-above-and-testing`,
    comment: 'A test may also use the public testing kit.',
    severity: /** @type {const} */ ('error'),
    from: { path: `^src/${layer}/.*${tests}` },
    to: { path: `^src/(${layers.slice(index + 1, -1).join('|')})/` },
  })),
  {
    name: 'testing-is-a-public-kit',
    comment:
      'testing/ reaches down to conformance; the wired runtime and its surfaces are not part of the kit.',
    severity: 'error',
    from: { path: '^src/testing/', pathNot: tests },
    to: { path: '^src/(runtime|surface)/' },
  },
  {
    name: 'every-folder-has-a-layer',
    comment: 'A new folder of src/ takes its place in the list above.',
    severity: 'error',
    from: {},
    to: { path: '^src/[^/]+/', pathNot: `^src/(${layers.join('|')})/` },
  },
  {
    name: 'nothing-imports-the-entry-point',
    severity: 'error',
    from: { path: '^src/', pathNot: tests },
    to: { path: '^src/index[.]ts$' },
  },
  ...channelStages.map((stage, index) => ({
    name: `channel-${stage}-imports-only-earlier`,
    comment: `channel/${stage}/ may import: ${['base', 'secrets', ...channelStages.slice(0, index)].join(', ')}.`,
    severity: /** @type {const} */ ('error'),
    from: { path: `^src/channel/${stage}/`, pathNot: tests },
    to: { path: `^src/channel/(${[...channelStages.slice(index + 1), 'index[.]ts'].join('|')})` },
  })),
  {
    name: 'a-dialect-never-imports-another',
    severity: 'error',
    from: { path: '^src/dialect/([^/]+)/' },
    to: { path: '^src/dialect/[^/]+/', pathNot: '^src/dialect/$1/' },
  },
  {
    name: 'sdk-stops-at-author-ends',
    severity: 'error',
    from: { path: '^src/sdk/', pathNot: tests },
    to: { path: '^src/dialect/(hosts|[^/]+/host)[.]ts$' },
  },
  {
    name: 'no-third-party-below-fleet',
    comment: 'What an author loads must start fast: pluglot/sdk and all under it use Node alone.',
    severity: 'error',
    from: {
      path: '^src/(base|secrets|channel|definition|sdk|dialect/authors[.]ts|dialect/[^/]+/author[.]ts)',
      pathNot: tests,
    },
    to: { path: 'node_modules', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'processes-start-in-the-supervisor',
    comment: 'Others take a spawn from fleet/supervisor; a type-only import is fine.',
    severity: 'error',
    from: { path: '^src/', pathNot: ['^src/fleet/supervisor/', tests] },
    to: { path: '^(node:)?child_process$', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'the-page-takes-types-alone',
    comment:
      'The page of the console runs in browsers: of other folders it takes types, and from base/ what needs no Node.',
    severity: 'error',
    from: { path: '^src/surface/console/ui/', pathNot: tests },
    to: {
      path: '^(src/|node:)',
      pathNot: ['^src/surface/console/ui/', '^src/base/'],
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'folders-of-confined-programs-are-held',
    comment:
      'Confined programs exchange what is in their folders at any moment: these files reach it through fleet/trust/folder.ts alone.',
    severity: 'error',
    from: {
      path: '^src/(gate/sandbox/(repository|unfinished-work|protected|git-[^/]+)|fleet/trust/placeholders)[.]ts$',
      pathNot: tests,
    },
    to: { path: '^(node:)?fs(/promises)?$', dependencyTypesNot: ['type-only'] },
  },
  { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
  { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  {
    name: 'no-dev-dependencies-in-the-package',
    severity: 'error',
    // The page of the console is built: what it needs is inside of it.
    from: { path: '^src/', pathNot: [tests, '^src/surface/console/ui/'] },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: 'node_modules/@types/' },
  },
];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden,
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: 'specify',
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
};
