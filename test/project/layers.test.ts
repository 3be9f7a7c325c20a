// The layers hold, and the tool that says so is awake: every rule has a broken twin that it must catch.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import configuration from '../../.dependency-cruiser.mjs';
import { executeBin, root, withProject } from '../support/project.ts';

test('dependency-cruiser sees every module of src and finds nothing wrong', async () => {
  const { modules, violations } = await cruise(root);
  const sources = fs
    .readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter(isCode);
  expect(sources.length).toBeGreaterThan(0);
  expect(modules.filter((source) => source.startsWith('src/') && isCode(source))).toHaveLength(
    sources.length,
  );
  expect(violations).toEqual([]);
});

test('each rule catches its broken twin', async () => {
  const rules = (configuration.forbidden ?? []).map((rule) => String(rule.name));
  expect(twins.map(([rule]) => rule).sort()).toEqual(rules.sort());

  const files: Record<string, string> = {};
  for (const [, source, target] of twins) {
    files[source] = `${files[source] ?? ''}export * from '${specifier(source, target)}';\n`;
    if (target.startsWith('src/')) files[target] ??= 'export const nothing = 0;\n';
  }
  const { violations } = await withProject(files, cruise);
  for (const [rule, source] of twins) expect(violations).toContain(`${rule}: ${source}`);
});

test('a tree that keeps the rules passes', async () => {
  const found = await withProject(
    {
      'src/base/clock.ts': `export const now = 0;\n`,
      'src/channel/bytes/pipe.ts': `import type { ChildProcess } from 'node:child_process';\nexport type Child = ChildProcess;\nexport { now } from '../../base/clock.ts';\n`,
      'src/channel/peer/peer.ts': `export type { Child } from '../bytes/pipe.ts';\n`,
      'src/channel/peer/peer.test.ts': `export { pair } from '../../testing/pair.ts';\n`,
      'src/testing/pair.ts': `export type { Child } from '../channel/peer/peer.ts';\nexport const pair = 0;\n`,
      'src/fleet/supervisor/spawn.ts': `export { spawn } from 'node:child_process';\n`,
    },
    cruise,
  );
  expect(found.violations).toEqual([]);
  expect(found.modules).toContain('src/channel/peer/peer.test.ts');
});

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
const stages = ['bytes', 'frame', 'message', 'link', 'peer'];

/** Rule, the file that breaks it, and what that file imports. */
const twins: readonly (readonly [rule: string, source: string, target: string])[] = [
  ...layers.slice(0, -1).map(breakLayer('imports-only-above', 'low.ts')),
  ...layers.slice(0, -2).map(breakLayer('tests-import-only-above-and-testing', 'low.test.ts')),
  ...stages.map(breakStage),
  ['testing-is-a-public-kit', 'src/testing/kit.ts', 'src/runtime/runtime-parts.ts'],
  ['every-folder-has-a-layer', 'src/base/stray.ts', 'src/unlisted/file.ts'],
  ['nothing-imports-the-entry-point', 'src/base/entry.ts', 'src/index.ts'],
  ['a-dialect-never-imports-another', 'src/dialect/mcp/host.ts', 'src/dialect/yams/schema.ts'],
  ['sdk-stops-at-author-ends', 'src/sdk/serve.ts', 'src/dialect/gassist/host.ts'],
  ['no-third-party-below-fleet', 'src/sdk/heavy.ts', 'commander'],
  ['processes-start-in-the-supervisor', 'src/gate/spawn.ts', 'node:child_process'],
  ['the-page-takes-types-alone', 'src/surface/console/ui/heavy.ts', 'src/fleet/heavy.ts'],
  ['folders-of-confined-programs-are-held', 'src/gate/sandbox/repository.ts', 'node:fs'],
  ['no-cycles', 'src/model/turn.ts', 'src/model/turn.ts'],
  ['no-unresolvable', 'src/model/lost.ts', 'not-there'],
  ['no-dev-dependencies-in-the-package', 'src/model/dev.ts', 'vitest'],
];

function isCode(file: string): boolean {
  return /[.]tsx?$/.test(file);
}

function breakLayer(rule: string, file: string) {
  return (layer: string, index: number) =>
    [`${layer}-${rule}`, `src/${layer}/${file}`, `src/${layers[index + 1]}/high.ts`] as const;
}

function breakStage(stage: string, index: number) {
  const later = stages[index + 1];
  const target = later ? `src/channel/${later}/high.ts` : 'src/channel/index.ts';
  return [`channel-${stage}-imports-only-earlier`, `src/channel/${stage}/low.ts`, target] as const;
}

interface Report {
  readonly summary: {
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[];
  };
  readonly modules: readonly { readonly source: string }[];
}

async function cruise(folder: string): Promise<{ modules: string[]; violations: string[] }> {
  const cli = 'dependency-cruiser/bin/dependency-cruise.mjs';
  const { stdout, stderr } = await executeBin(cli, ['--output-type', 'json', 'src'], folder);
  expect(stderr).toBe('');
  // The shape of dependency-cruiser's own report.
  const { summary, modules } = JSON.parse(stdout) as Report;
  return {
    modules: modules.map((module) => module.source),
    violations: summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`),
  };
}

function specifier(source: string, target: string): string {
  if (!target.startsWith('src/')) return target;
  const relative = path.relative(path.dirname(source), target);
  return relative.startsWith('.') ? relative : `./${relative}`;
}
