// oxlint drops its type-aware rules behind one warning when it cannot resolve a tsconfig; these broken twins notice.
import { expect, test } from 'vitest';
import { read } from '../support/markdown.ts';
import { executeBin, withProject } from '../support/project.ts';

const twins: readonly (readonly [rule: string, file: string, source: string])[] = [
  // Need types.
  ['typescript/no-floating-promises', 'src/base/floating.ts', `Promise.resolve(1);`],
  [
    'typescript/no-misused-promises',
    'src/base/misused.ts',
    `[1].forEach(async () => { await Promise.resolve(); });`,
  ],
  [
    'typescript/switch-exhaustiveness-check',
    'src/base/switch.ts',
    `export function f(x: 'a' | 'b'): void { switch (x) { case 'a': f(x); } }`,
  ],
  ['typescript/no-unsafe-argument', 'src/base/argument.ts', `Number.parseInt(JSON.parse('1'));`],
  ['typescript/no-unsafe-assignment', 'src/base/assignment.ts', `export const x: string = JSON.parse('1');`],
  ['typescript/no-unsafe-call', 'src/base/call.ts', `JSON.parse('1')();`],
  [
    'typescript/no-unsafe-member-access',
    'src/base/member.ts',
    `export const x = JSON.parse('1').y as unknown;`,
  ],
  ['typescript/no-unsafe-return', 'src/base/return.ts', `export const f = (): string => JSON.parse('1');`],
  ['typescript/await-thenable', 'src/base/await.ts', `export const x = await 1;`],
  ['typescript/only-throw-error', 'src/base/throw.ts', `export function f() { throw 'words'; }`],
  [
    'typescript/return-await',
    'src/base/return-await.ts',
    `export async function f() { try { return Promise.resolve(1); } catch { return 2; } }`,
  ],
  // Need none.
  ['eqeqeq', 'src/base/equality.ts', `export const same = (a: number, b: number) => a == b;`],
  ['no-var', 'src/base/var.ts', `export var x = 1;`],
  ['prefer-const', 'src/base/const.ts', `let x = 1; export const y = x;`],
  ['typescript/no-explicit-any', 'src/base/any.ts', `export type Anything = any;`],
  [
    'typescript/consistent-type-imports',
    'src/base/type-import.ts',
    `import { Socket } from 'node:net'; export type Wire = Socket;`,
  ],
  ['import/no-default-export', 'src/base/default.ts', `export default 1;`],
  [
    'import/no-duplicates',
    'src/base/duplicates.ts',
    `import { sep } from 'node:path'; import { join } from 'node:path'; export const x = join(sep);`,
  ],
  // The doors of the process.
  ['no-console', 'src/channel/console.ts', `console.error('x');`],
  ['node/no-process-env', 'src/fleet/environment.ts', `export const home = process.env['HOME'];`],
  ['unicorn/no-process-exit', 'src/runtime/exit.ts', `process.exit(1);`],
  ['no-restricted-properties', 'src/gate/destructured.ts', `export const { env, exit } = process;`],
  [
    'no-restricted-imports',
    'src/gate/import.ts',
    `import { env } from 'node:process'; export const e = env;`,
  ],
  [
    'no-restricted-properties',
    'src/surface/cli/builtin.ts',
    `process.getBuiltinModule('node:child_process');`,
  ],
  ['no-restricted-properties', 'src/channel/parse.ts', `export const x: unknown = JSON.parse('1');`],
];

const allowed: Readonly<Record<string, string>> = {
  'src/channel/bytes/socket.test.ts': `export const { env } = process;`,
  'src/surface/cli/main.ts': `console.log(process.env['HOME']); process.exit(0);`,
  'src/sdk/serve.ts': `console.error(process.env['HOME']);`,
  'src/base/builtins.ts': `export const fs = process.getBuiltinModule('node:fs');`,
  'src/channel/message/json.ts': `export const parse = (text: string): unknown => JSON.parse(text);`,
  'src/channel/peer.test.ts': `export const x: unknown = JSON.parse('1');`,
};

test('every rule that the configuration names has a broken twin', () => {
  const settings = /^\s*"([\w/-]+)": (\[\s*)?"error"/gm;
  const others = ['correctness', 'suspicious', 'reportUnusedDisableDirectives'];
  const rules = [...read('.oxlintrc.json').matchAll(settings)]
    .map(([, rule = '']) => rule)
    .filter((rule) => !others.includes(rule));
  expect(twins.map(([rule]) => rule).sort()).toEqual(rules.sort());
});

test('each rule catches its broken twin, and the doors stay open', async () => {
  const files = { ...allowed, ...Object.fromEntries(twins.map(([, file, source]) => [file, `${source}\n`])) };
  const diagnostics = await withProject(files, lint);
  for (const [rule, file] of twins) expect(diagnostics).toContain(`${rule}: ${file}`);
  for (const file of Object.keys(allowed)) {
    expect(diagnostics.filter((diagnostic) => diagnostic.endsWith(file))).toEqual([]);
  }
});

interface Report {
  readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
}

async function lint(folder: string): Promise<string[]> {
  const { stdout } = await executeBin('oxlint/bin/oxlint', ['--format', 'json', 'src'], folder);
  // The shape of oxlint's own report.
  const { diagnostics } = JSON.parse(stdout) as Report;
  return diagnostics.map(({ code, filename }) => `${ruleOf(code)}: ${filename}`);
}

/** `plugin(rule)` in reports is `plugin/rule` in the configuration, and eslint's own rules have no plugin there. */
function ruleOf(code: string): string {
  const [, plugin = '', rule = ''] = /^([\w-]+)\((.*)\)$/.exec(code) ?? [];
  return plugin === 'eslint' ? rule : `${plugin}/${rule}`;
}
