// `pluglot new`: every plugin that it makes runs, passes its own test, can be called, and keeps to its protocol.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { CheckReport, CheckResult } from '../../src/conformance/report.ts';
import { dialectNames, type DialectName } from '../../src/definition/plugin-spec.ts';
import { cli } from '../support/surface/command-line.ts';
import { emulatorCommand, runEmulator } from '../support/dialect/gassist/emulator.ts';
import { execute, executeBin, root } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Made {
  readonly home: string;
  readonly folder: string;
}

/** What is asked of a Python plugin, and what it answers. */
const firstCalls: Readonly<
  Record<DialectName, { readonly words: readonly string[]; readonly answer: string }>
> = {
  gassist: { words: ['greet', 'name=Ada'], answer: 'One moment ... Hello, Ada!\n' },
  gevals: { words: ['greet', 'name=Ada'], answer: 'Hello, Ada!\n' },
  mcp: { words: ['greet', 'name=Ada'], answer: 'Hello, Ada!\n' },
  planner: { words: ['create_plan', 'user_request=Bake it. Eat it.'], answer: 'task_002 (analysis): Eat it' },
  yams: { words: ['extractor.extract', 'source=table.csv'], answer: 'name age\nAda 36' },
};

test.each(dialectNames)('python for %s', async (dialect) => {
  const { home, folder } = await make('python', '--dialect', dialect);
  const tested = await execute('python3', ['-m', 'unittest'], { cwd: folder });
  expect(tested, tested.stderr).toMatchObject({ exitCode: 0 });
  fs.writeFileSync(path.join(folder, 'table.csv'), 'name,age\nAda,36\n');
  const { words, answer } = firstCalls[dialect];
  const plugin = ['--', 'python3', 'plugin.py'];
  const called = await cli(['call', ...words, ...plugin], { home, cwd: folder });
  expect(called, called.stderr).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(answer) as string,
  });
  await keepsToTheProtocol({ home, folder }, dialect, plugin);
  await keepsToItMeanwhile({ home, folder }, dialect, plugin);
});

test.each(['js', 'ts'] as const)('%s for every dialect', async (language) => {
  const { home, folder } = await make(language);
  install(folder);
  const main = language === 'ts' ? 'dist/main.js' : 'main.js';
  if (language === 'ts') await compile(folder);
  const tested = await execute(process.execPath, ['--test', ...(language === 'ts' ? ['dist'] : [])], {
    cwd: folder,
  });
  expect(tested, tested.stdout).toMatchObject({ exitCode: 0 });
  expect(written(folder, 'manifest.json')).toEqual(await toldManifest(folder, main, 'gassist'));
  expect(written(folder, 'yams-plugin.json')).toEqual(await toldManifest(folder, main, 'yams'));
  const { answers, problems } = await runEmulator(emulatorCommand(folder), [
    { do: 'initialize' },
    { do: 'execute', function: 'greet', arguments: { name: 'Ada' } },
    { do: 'shutdown' },
  ]);
  expect(problems).toEqual([]);
  expect(answers[1]).toMatchObject({ ok: true, text: 'Hello, Ada!' });
  expect(fs.readFileSync(path.join(folder, 'launch.bat'), 'utf8')).toBe(
    `@echo off\r\nnode "%~dp0${main.replace('/', '\\')}" %*\r\n`,
  );
  for (const dialect of dialectNames) {
    const plugin = ['--', 'node', main];
    const called = await cli(['call', 'greet', 'name=Ada', '-q', '--dialect', dialect, ...plugin], {
      home,
      cwd: folder,
    });
    expect(called, `${dialect}: ${called.stderr}`).toMatchObject({ exitCode: 0, stdout: 'Hello, Ada!\n' });
    await keepsToTheProtocol({ home, folder }, dialect, plugin);
  }
});

test('the compiler of a plugin is the one that its types are held against', async () => {
  const { folder } = await make('ts');
  const { version } = written(path.join(root, 'node_modules/@typescript/native'), 'package.json') as {
    readonly version: string;
  };
  expect(written(folder, 'package.json')).toMatchObject({
    devDependencies: { typescript: `^${version.split('.')[0]}.0.0` },
  });
});

test('the bundler of a plugin is the one that pluglot builds with', async () => {
  const { folder } = await make('ts');
  const { version } = written(path.join(root, 'node_modules/rolldown'), 'package.json') as {
    readonly version: string;
  };
  expect(written(folder, 'package.json')).toMatchObject({ devDependencies: { rolldown: `^${version}` } });
});

test('what installs a plugin finds the pluglot that made it', async () => {
  const { folder } = await make('js');
  expect(written(folder, 'package.json')).toMatchObject({ dependencies: { pluglot: `file:${root}` } });
});

test('a dialect leaves out what only hosts of others read', async () => {
  const all = await make('js');
  const one = await make('js', '--dialect', 'yams');
  const manifests = ['.mcp.json', 'launch.bat', 'manifest.json', 'yams-plugin.json'];
  expect(fs.readdirSync(all.folder)).toEqual(expect.arrayContaining(manifests));
  expect(fs.readdirSync(one.folder).filter((file) => manifests.includes(file))).toEqual(['yams-plugin.json']);
});

test('nothing is left of the names in the templates', async () => {
  for (const args of [['js'], ['ts'], ...dialectNames.map((dialect) => ['python', '--dialect', dialect])]) {
    const [language = '', ...rest] = args;
    const { folder } = await make(language, ...rest);
    for (const file of fs.readdirSync(folder))
      expect(fs.readFileSync(path.join(folder, file), 'utf8'), file).not.toMatch(
        /plugin[-_]+name|pluglot-version/,
      );
  }
});

test.each([
  ['Bad Name', /Try: pluglot new bad-name/],
  ['myPlugin', /Try: pluglot new my-plugin/],
  ['../elsewhere', /Try: pluglot new elsewhere/],
  ['日本', /Try: pluglot new my-plugin/],
  ['x'.repeat(65), /at most 64 .*Try: pluglot new x{64} /],
])('the name %j is refused with a better one', async (name, message) => {
  const home = temporaryFolder();
  const refused = await cli(['new', name], { home, cwd: home });
  expect(refused).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringMatching(message) as string,
  });
  expect(fs.readdirSync(home)).toEqual([]);
});

test('a folder that is not empty is left alone', async () => {
  const home = temporaryFolder({ 'taken/notes.txt': 'mine' });
  const refused = await cli(['new', 'taken'], { home, cwd: home });
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('not empty') as string });
  expect(fs.readdirSync(path.join(home, 'taken'))).toEqual(['notes.txt']);
});

test('programs are told what was made', async () => {
  const home = temporaryFolder();
  const { stdout } = await cli(['new', 'my-plugin', '--json'], { home, cwd: home });
  expect(JSON.parse(stdout)).toMatchObject({
    name: 'my-plugin',
    language: 'js',
    files: expect.arrayContaining(['plugin.js']) as string[],
  });
});

async function make(language: string, ...args: readonly string[]): Promise<Made> {
  const home = temporaryFolder();
  const made = await cli(['new', 'made-up', '--lang', language, ...args], { home, cwd: home });
  expect(made, made.stderr).toMatchObject({ exitCode: 0, stderr: '' });
  return { home, folder: path.join(home, 'made-up') };
}

/** `npm run build` of it, with the compiler that this repository has. */
async function compile(folder: string): Promise<void> {
  const compiled = await executeBin('@typescript/native/bin/tsc', [], folder);
  expect(compiled, compiled.stdout).toMatchObject({ exitCode: 0, stdout: '' });
  const { scripts } = written(folder, 'package.json') as { readonly scripts: { readonly build: string } };
  const [, rest = ''] = scripts.build.split('tsc && ');
  expect(await execute('sh', ['-c', rest], { cwd: folder })).toMatchObject({ exitCode: 0, stdout: '' });
}

/** As `npm install` would, with what this repository has. */
function install(folder: string): void {
  const modules = path.join(folder, 'node_modules');
  fs.mkdirSync(path.join(modules, '@types'), { recursive: true });
  fs.symlinkSync(root, path.join(modules, 'pluglot'));
  for (const name of ['@types/node', 'undici-types'])
    fs.symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name));
}

/** What the plugin says of itself; it takes its program to be beside the file. */
async function toldManifest(folder: string, main: string, dialect: string): Promise<unknown> {
  const { stdout } = await execute(process.execPath, [main, '--manifest', dialect], { cwd: folder });
  return JSON.parse(stdout.replace('main.js', main));
}

function written(folder: string, file: string): unknown {
  return JSON.parse(fs.readFileSync(path.join(folder, file), 'utf8'));
}

/** Nothing to fix, hints included, but that it has nothing to do that takes long. */
async function keepsToTheProtocol(
  made: Made,
  dialect: DialectName,
  plugin: readonly string[],
): Promise<void> {
  const { grade, results } = await check(made, ['--dialect', dialect, ...plugin]);
  expect(results.filter(isFailed).map(told), dialect).toEqual([
    expect.stringMatching(/^fault:long-call: /) as string,
  ]);
  expect(grade).toBe('A');
}

/** Nor is there anything to fix where an author gives it more to do. */
async function keepsToItMeanwhile(
  made: Made,
  dialect: DialectName,
  plugin: readonly string[],
): Promise<void> {
  const file = path.join(made.folder, 'plugin.py');
  const quick = fs.readFileSync(file, 'utf8');
  const slow = quick.replace(WORK, '$&    __import__("time").sleep(0.5)\n');
  expect(slow).not.toBe(quick);
  fs.writeFileSync(file, slow);
  const only = MEANWHILE.flatMap((id) => ['--only', id]);
  const call = dialect === 'gassist' ? ['--slow-tool', 'greet', 'name=Ada'] : [];
  const { results } = await check(made, ['--dialect', dialect, ...only, ...call, ...plugin]);
  expect(results.filter(isFailed).map(told), dialect).toEqual([]);
  expect(results.length).toBeGreaterThan(3);
}

/** What an author writes, up to where its work begins. */
const WORK = /^def (?:greet|execute_task|extract_text)\(.*:\n(?: +""".*"""\n)?/m;
const MEANWHILE = ['fault:long-call', 'fault:*-call', 'fault:host-gone', 'fault:cancel', 'errors:timeout'];

async function check({ home, folder }: Made, words: readonly string[]): Promise<CheckReport> {
  const { stdout, stderr } = await cli(['check', '--json', ...words], { home, cwd: folder });
  if (stdout === '') throw new Error(stderr);
  // The command's own report.
  return JSON.parse(stdout) as CheckReport;
}

function isFailed({ verdict }: CheckResult): boolean {
  return verdict === 'failed';
}

function told({ id, seen }: CheckResult): string {
  return `${id}: ${seen}`;
}
