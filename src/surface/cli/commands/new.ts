// `pluglot new NAME`: a plugin that runs, with a test, its manifests and a README.
import fs from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { Option } from 'commander';
import { isJsonObject, type Json } from '../../../base/json.ts';
import { printableLine } from '../../../base/printable.ts';
import { dialectNames, type DialectName } from '../../../definition/plugin-spec.ts';
import { defineCommand } from '../command.ts';
import { ExitCode } from '../exit-code.ts';
import { inRows } from '../table.ts';
import { unlessInterrupted, type CommandContext, usageError } from '../context.ts';

const languages = ['ts', 'js', 'python'] as const;

type Language = (typeof languages)[number];

interface NewFlags {
  readonly lang?: Language;
  readonly dialect?: DialectName;
}

export const commands = {
  new: defineCommand<NewFlags, [name: string]>({
    description: 'Create a plugin with a test, its manifests and a README',
    examples: ['pluglot new my-plugin', 'pluglot new my-plugin --lang python --dialect gassist'],
    declare: (command) =>
      command
        .argument('<name>', 'Name of the plugin and of its folder')
        .addOption(new Option('--lang <language>', 'Programming language').choices(languages))
        .addOption(
          new Option(
            '--dialect <name>',
            'Dialect it is written for (default: all in JavaScript and TypeScript, mcp in Python)',
          ).choices(dialectNames),
        ),
    run: newPlugin,
  }),
};

async function newPlugin(context: CommandContext, options: NewFlags, name: string): Promise<ExitCode> {
  const { cwd, out, json, version } = context;
  const { language, dialect } = await answers(context, options);
  const folder = path.join(cwd, name);
  const files = await makePlugin(folder, { name, language, dialect, version });
  if (json) out.line(JSON.stringify({ name, language, dialect, folder, files }));
  else show(context, name, language, dialect, files);
  return ExitCode.ok;
}

interface Answers {
  readonly language: Language;
  readonly dialect: DialectName | undefined;
}

/** Asks a person for what was not typed. A program gets what is usual. */
async function answers(context: CommandContext, { lang, dialect }: NewFlags): Promise<Answers> {
  const { err, json, stdin } = context;
  const canAsk = err.live && stdin.isTTY && !json;
  const language = lang ?? (canAsk ? await choose(context, 'Language', languages, 'js') : 'js');
  // On the SDK one file speaks all dialects; in Python it has to be one.
  if (language !== 'python') return { language, dialect };
  return {
    language,
    dialect: dialect ?? (canAsk ? await choose(context, 'Dialect', dialectNames, 'mcp') : 'mcp'),
  };
}

async function choose<Choice extends string>(
  { stdin, stderr, err, signal }: CommandContext,
  question: string,
  choices: readonly Choice[],
  usual: Choice,
): Promise<Choice> {
  const lines = createInterface({ input: stdin, output: stderr });
  // On a terminal readline takes Ctrl-C; it means the same as everywhere, once the line is ended.
  lines.on('SIGINT', () => {
    stderr.write('\n');
    process.emit('SIGINT');
  });
  try {
    for (;;) {
      const asked = lines.question(`${question} (${choices.join(', ')}) [${usual}]: `);
      const typed = await unlessInterrupted(signal, asked);
      const chosen = typed.trim() === '' ? usual : choices.find((choice) => choice === typed.trim());
      if (chosen !== undefined) return chosen;
      err.line(`${printableLine(typed)} is not one of them.`);
    }
  } finally {
    lines.close();
  }
}

const languageNames: Readonly<Record<Language, string>> = {
  ts: 'TypeScript',
  js: 'JavaScript',
  python: 'Python',
};

function show(
  { out }: CommandContext,
  name: string,
  language: Language,
  dialect: DialectName | undefined,
  files: readonly string[],
): void {
  const { bold, cyan, dim } = out.colours;
  const speaks = language === 'python' ? `speaks ${dialect ?? 'mcp'}` : 'runs under hosts of every dialect';
  out.line(`${bold(name)} was created: a plugin in ${languageNames[language]} that ${speaks}.`);
  const rows = inRows('  ', files, { columns: out.columns, indent: '  ', separator: '  ' });
  for (const row of rows) out.line(dim(row));
  out.line();
  for (const step of [`cd ${name}`, ...nextSteps(language, dialect)]) out.line(`  ${cyan(step)}`);
}

/** As in README.md of the plugin. */
function nextSteps(language: Language, dialect: DialectName | undefined): readonly string[] {
  switch (language) {
    case 'ts':
      return ['npm install', 'npm test', 'npx pluglot call greet name=Ada -- node dist/main.js'];
    case 'js':
      return ['npm install', 'npm test', 'npx pluglot call greet name=Ada -- node main.js'];
    case 'python':
      return ['python3 -m unittest', `pluglot call ${firstCalls[dialect ?? 'mcp']} -- python3 plugin.py`];
  }
}

const firstCalls: Readonly<Record<DialectName, string>> = {
  gassist: 'greet name=Ada',
  gevals: 'greet name=Ada',
  mcp: 'greet name=Ada',
  planner: "create_plan user_request='Bake a cake. Eat it.'",
  yams: 'extractor.extract source=table.csv',
};

export interface NewPlugin {
  readonly name: string;
  readonly language: Language;
  /** Undefined: all of them, where one file can speak them. */
  readonly dialect: DialectName | undefined;
  /** That of pluglot, which the plugin is made with. */
  readonly version: string;
}

/**
 * Writes the files into the folder, which must be new or empty, and gives their names.
 * @throws PluglotError INVALID_ARGUMENTS
 */
export async function makePlugin(folder: string, plugin: NewPlugin): Promise<readonly string[]> {
  checkName(plugin.name);
  await checkEmpty(folder);
  const pluglot = await ownDependency(path.resolve(fileURLToPath(templates), '..'), plugin.version);
  const files = (await templateFiles(plugin)).map(({ file, text }) => ({
    file: ownName(path.basename(file)),
    text: withNames(text, plugin.name, pluglot),
  }));
  await fs.mkdir(folder, { recursive: true });
  for (const { file, text } of files) {
    // G-Assist starts the program itself, without node before it.
    const mode = text.startsWith('#!') ? 0o755 : 0o644;
    await fs.writeFile(path.join(folder, file), text, { flag: 'wx', mode });
  }
  return files.map(({ file }) => file).sort();
}

const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const LONGEST_NAME = 64;

/** One name has to do for a folder, a package and a plugin in every dialect. */
function checkName(name: string): void {
  if (NAME.test(name) && name.length <= LONGEST_NAME) return;
  const near = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^[-0-9]+|-+$/g, '')
    .slice(0, LONGEST_NAME);
  const way = NAME.test(near) ? ` Try: pluglot new ${near}` : ' Try: pluglot new my-plugin';
  throw usageError(
    `${JSON.stringify(name.slice(0, 100))} is not a valid name of a plugin. Use lower-case letters and digits, begin with a letter, separate words by one dash, and use at most ${LONGEST_NAME} characters.${way}`,
  );
}

async function checkEmpty(folder: string): Promise<void> {
  let entries: string[];
  try {
    entries = await fs.readdir(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    if (!hasCode(error, 'ENOTDIR')) throw error;
    entries = [path.basename(folder)];
  }
  if (entries.length === 0) return;
  throw usageError(`${folder} exists and is not empty. Choose another name, or remove it first.`);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** Beside `dist` in the package, and beside `src` in the repository. */
const templates = new URL('../../../../templates/', import.meta.url);

/** What hosts of a dialect read before they start anything. */
const manifests: Readonly<Record<string, DialectName>> = {
  'manifest.json': 'gassist',
  'launch.bat': 'gassist',
  'yams-plugin.json': 'yams',
  'mcp.json': 'mcp',
};

async function templateFiles({ language, dialect }: NewPlugin): Promise<{ file: string; text: string }[]> {
  const places = language === 'python' ? ['python/gitignore', `python/${dialect ?? 'mcp'}`] : [language];
  const files = (await Promise.all(places.map((place) => filesAt(place)))).flat();
  const wanted = files.filter(({ file }) => {
    const reader = manifests[path.basename(file)];
    return reader === undefined || dialect === undefined || dialect === reader || language === 'python';
  });
  return wanted;
}

async function filesAt(place: string): Promise<{ file: string; text: string }[]> {
  const at = new URL(place, templates);
  if (!(await fs.stat(at)).isDirectory()) return [{ file: place, text: await fs.readFile(at, 'utf8') }];
  const entries = await fs.readdir(at, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => `${place}/${name}`);
  return (await Promise.all(names.map((name) => filesAt(name)))).flat();
}

/** Some names would mean something where the templates lie, or are not packed. */
const ownNames: Readonly<Record<string, string>> = {
  'package.template.json': 'package.json',
  'tsconfig.template.json': 'tsconfig.json',
  'mcp.json': '.mcp.json',
  gitignore: '.gitignore',
};

function ownName(name: string): string {
  return ownNames[name] ?? name;
}

/** The templates are programs that run as they are, by the name of plugin-name, and as YAMS may write that. */
function withNames(text: string, name: string, pluglot: string): string {
  return text
    .replaceAll('plugin-name', name)
    .replaceAll('plugin__name', name.replaceAll('-', '__'))
    .replaceAll('plugin_name', name.replaceAll('-', '_'))
    .replaceAll('"pluglot-version"', () => JSON.stringify(pluglot));
}

/** What package.json of the plugin has to say of it, for `npm install` to find it. */
export async function ownDependency(packageFolder: string, version: string): Promise<string> {
  const source = await localSource(packageFolder);
  return source === undefined ? `^${version}` : `file:${source}`;
}

/** Undefined where it was installed from a registry, or that is not known. */
async function localSource(packageFolder: string): Promise<string | undefined> {
  const modules = path.dirname(packageFolder);
  if (path.basename(modules) !== 'node_modules') return packageFolder;
  const resolved = resolvedBy(await readJson(path.join(modules, '.package-lock.json')));
  if (resolved?.startsWith('file:') !== true) return undefined;
  return path.resolve(path.dirname(modules), resolved.slice('file:'.length));
}

/** npm keeps beside the packages where it took each of them from. */
function resolvedBy(lock: Json | undefined): string | undefined {
  const packages = isJsonObject(lock) ? lock['packages'] : undefined;
  const own = isJsonObject(packages) ? packages['node_modules/pluglot'] : undefined;
  const resolved = isJsonObject(own) ? own['resolved'] : undefined;
  return typeof resolved === 'string' ? resolved : undefined;
}

async function readJson(file: string): Promise<Json | undefined> {
  try {
    // What JSON.parse gives is JSON.
    return JSON.parse(await fs.readFile(file, 'utf8')) as Json;
  } catch {
    return undefined;
  }
}
