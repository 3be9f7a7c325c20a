// What the documents say is true: every block runs, every link leads somewhere, every named check exists.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import layers from '../../.dependency-cruiser.mjs';
import { type Block, blocksOf, documents, read } from '../support/markdown.ts';
import { execute, executeBin, root, withProject } from '../support/project.ts';
import { temporaryReader } from './reader.ts';

const blocks = documents().flatMap(blocksOf);

/** Blocks for the eye alone; those in JSON are read by test/project/configuration.test.ts. */
const inert = new Set(['text', 'mermaid', 'json']);

describe('snippets', () => {
  for (const document of documents()) {
    const snippets = blocks.filter((block) => block.document === document && isCode(block));
    if (snippets.length === 0) continue;

    test(`those of ${document} compile and run`, async () => {
      const named = snippets.map((block, index) => ({
        ...block,
        file: block.label || `snippet-${index}.ts`,
      }));
      // What a snippet reads beside it, such as the package.json of another folder.
      const beside = blocks.filter(
        ({ document: of, language, label }) => of === document && language === 'json' && label.includes('/'),
      );
      await withProject(
        {
          ...Object.fromEntries(beside.map(({ label, text }) => [label, text])),
          ...Object.fromEntries(named.map(({ file, text }) => [file, text])),
          'package.json': `{ "name": "reader", "type": "module" }\n`,
          'tsconfig.json': JSON.stringify({
            extends: './tsconfig.base.json',
            compilerOptions: { noEmit: true, allowJs: true, noUnusedLocals: false, lib: ['es2023', 'dom'] },
            files: named.map(({ file }) => file),
          }),
        },
        async (folder) => {
          linkPackage(folder);
          const compiled = await executeBin('@typescript/native/bin/tsc', ['-p', 'tsconfig.json'], folder);
          expect(compiled.stdout).toBe('');
          for (const { file, at } of named) {
            const args = file.endsWith('.ts') ? ['--import', loader, file] : [file];
            const env = { ...process.env, PLUGLOT_HOME: path.join(folder, 'home') };
            const ran = await execute(process.execPath, args, { cwd: folder, env });
            expect(ran.exitCode, `${at} fails: ${ran.stderr}`).toBe(0);
            expect(ran.stdout, `${at} prints something else`).toBe(outputAfter(at) ?? ran.stdout);
          }
        },
      );
    });
  }
});

describe('commands', () => {
  const commands = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text, at }) =>
      text.split('\n').map((line) => [line.replace(/\s+#.*$/, '').trim(), at] as const),
    )
    .filter(([command]) => command !== '');

  const reader = temporaryReader();
  test.for(commands)('%s (%s)', async ([command, at], { expect }) => {
    const [, script] = /^npm (?:run )?(start|test|[\w:]+)\b/.exec(command) ?? [];
    if (/^(git clone|cd|npm install|npm i) /.test(command)) return;
    if (/^(npx )?pluglot\b/.test(command)) {
      const ran = await reader.type(command);
      expect(ran.exitCode, ran.stderr).toBe(0);
      expect(ran.stdout, `${at} prints something else`).toBe(outputAfter(at) ?? ran.stdout);
    } else if (script !== undefined) {
      // Long ones, this very run among them: that they exist is checked, and the rest of npm test runs them; test/project/start.test.ts runs `npm start`.
      expect(Object.keys(packageJson().scripts)).toContain(script);
    } else {
      expect.fail(`The docs test does not know how to run "${command}".`);
    }
  });
});

test('every block runs or is marked as text', () => {
  const unknown = blocks.filter(
    (block) => !isCode(block) && block.language !== 'sh' && !inert.has(block.language),
  );
  expect(unknown.map(({ at, language }) => `${at} ${language}`)).toEqual([]);
});

test('links between files lead somewhere', () => {
  const broken = documents().flatMap((document) =>
    [...proseOf(document).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !fs.existsSync(path.join(root, path.dirname(document), target)))
      .map((target) => `${document} → ${target}`),
  );
  expect(broken).toEqual([]);
});

test('README.md is one screen', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(80);
});

describe('AGENTS.md', () => {
  const rules = read('AGENTS.md')
    .split('\n')
    .filter((line) => line.startsWith('- '));

  test('has rules', () => {
    expect(rules.length).toBeGreaterThan(10);
  });

  test.for(rules)('%s', async (rule, { expect }) => {
    const [, checks] = /\((`[^()]+`)\)$/.exec(rule) ?? [];
    expect(checks, 'a rule ends with the check that holds it, in parentheses').toBeDefined();
    for (const [, check = ''] of checks?.matchAll(/`([^`]+)`/g) ?? []) {
      expect(await exists(check), `${check} does not exist`).toBe(true);
    }
  });
});

async function exists(check: string): Promise<boolean> {
  const [kind = '', name = ''] = check.split(' ');
  switch (kind) {
    case 'script':
      return name in packageJson().scripts;
    case 'stage':
      return (await stages()).includes(name);
    case 'layer':
      return (layers.forbidden ?? []).some((rule) => rule.name === name && rule.severity === 'error');
    case 'rule':
      return new RegExp(`"${name}": (\\[\\s*)?"error"`).test(read('.oxlintrc.json'));
    case 'option':
      return read('tsconfig.base.json').includes(`"${name}": true`);
    default:
      return kind.startsWith('test/') && fs.existsSync(path.join(root, kind));
  }
}

/** The stages that `npm test` itself names. */
async function stages(): Promise<string[]> {
  const { stderr } = await execute(process.execPath, ['scripts/test.mjs', '?']);
  return /Stages: (.*)/.exec(stderr)?.[1]?.split(' ') ?? [];
}

/** Without its blocks: in code the same signs mean something else. */
function proseOf(document: string): string {
  return read(document).replaceAll(/^\s*(`{3,})[^`]*$[\s\S]*?^\s*\1\s*$/gm, '');
}

function packageJson(): { scripts: Record<string, string> } {
  // Our own file.
  return JSON.parse(read('package.json')) as { scripts: Record<string, string> };
}

function isCode({ language }: Block): boolean {
  return language === 'ts' || language === 'js';
}

/** The block labelled `output` right after a snippet or command says what it prints. */
function outputAfter(at: string): string | undefined {
  const next = blocks[blocks.findIndex((block) => block.at === at) + 1];
  return next?.label === 'output' ? next.text : undefined;
}

const loader = path.join(root, 'node_modules/tsx/dist/loader.mjs');

/** Snippets import pluglot as a reader's project would: from node_modules. */
function linkPackage(folder: string): void {
  const modules = path.join(folder, 'node_modules');
  fs.unlinkSync(modules);
  fs.mkdirSync(path.join(modules, '@types'), { recursive: true });
  fs.symlinkSync(root, path.join(modules, 'pluglot'));
  fs.symlinkSync(path.join(root, 'node_modules/zod'), path.join(modules, 'zod'));
  fs.symlinkSync(path.join(root, 'examples'), path.join(folder, 'examples'));
  for (const name of ['node', '../undici-types']) {
    const target = path.join(root, 'node_modules/@types', name);
    fs.symlinkSync(target, path.join(modules, '@types', name));
  }
}
