// oxlint drops its type-aware rules behind one warning when it cannot resolve a tsconfig; these broken twins notice.
import { expect, test } from 'vitest';
import { executeBin, withProject } from './support/project.ts';

const twins: readonly (readonly [rule: string, file: string, source: string])[] = [
  // Need types.
  ['no-floating-promises', 'src/base/floating.ts', `Promise.resolve(1);`],
  ['no-misused-promises', 'src/base/misused.ts', `[1].forEach(async () => { await Promise.resolve(); });`],
  [
    'switch-exhaustiveness-check',
    'src/base/switch.ts',
    `export function f(x: 'a' | 'b'): void { switch (x) { case 'a': f(x); } }`,
  ],
  ['no-unsafe-assignment', 'src/base/assignment.ts', `export const x: string = JSON.parse('1');`],
  ['no-unsafe-return', 'src/base/return.ts', `export const f = (): string => JSON.parse('1');`],
  ['await-thenable', 'src/base/await.ts', `export const x = await 1;`],
  // Need none.
  ['no-explicit-any', 'src/base/any.ts', `export type Anything = any;`],
  [
    'consistent-type-imports',
    'src/base/type-import.ts',
    `import { Socket } from 'node:net'; export type Wire = Socket;`,
  ],
  // The doors of the process.
  ['no-console', 'src/channel/console.ts', `console.error('x');`],
  ['no-process-env', 'src/fleet/environment.ts', `export const home = process.env['HOME'];`],
  ['no-process-exit', 'src/runtime/exit.ts', `process.exit(1);`],
  [
    'no-restricted-imports',
    'src/gate/import.ts',
    `import { env } from 'node:process'; export const e = env;`,
  ],
  ['no-restricted-properties', 'src/channel/parse.ts', `export const x: unknown = JSON.parse('1');`],
  ['no-default-export', 'src/base/default.ts', `export default 1;`],
];

const allowed: Readonly<Record<string, string>> = {
  'src/surface/cli/main.ts': `console.log(process.env['HOME']); process.exit(0);`,
  'src/sdk/serve.ts': `console.error(process.env['HOME']);`,
  'src/channel/message/json.ts': `export const parse = (text: string): unknown => JSON.parse(text);`,
  'src/channel/peer.test.ts': `export const x: unknown = JSON.parse('1');`,
};

test('each rule catches its broken twin, and the doors stay open', async () => {
  const files = { ...allowed, ...Object.fromEntries(twins.map(([, file, source]) => [file, `${source}\n`])) };
  const { diagnostics } = await withProject(files, lint);
  for (const [rule, file] of twins) expect(diagnostics).toContain(`${rule}: ${file}`);
  for (const file of Object.keys(allowed)) {
    expect(diagnostics.filter((diagnostic) => diagnostic.endsWith(file))).toEqual([]);
  }
});

interface Report {
  readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
}

async function lint(folder: string): Promise<{ diagnostics: string[] }> {
  const { stdout } = await executeBin('oxlint/bin/oxlint', ['--format', 'json', 'src'], folder);
  // The shape of oxlint's own report; a code reads plugin(rule).
  const { diagnostics } = JSON.parse(stdout) as Report;
  return {
    diagnostics: diagnostics.map(({ code, filename }) => `${/\((.*)\)/.exec(code)?.[1]}: ${filename}`),
  };
}
