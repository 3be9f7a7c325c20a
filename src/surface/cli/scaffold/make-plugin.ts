// A new plugin as a folder: the files of a template, with the name in them.
import fs from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PluglotError } from '../../../base/error.ts';
import type { DialectName } from '../../../definition/plugin-spec.ts';
import type { Language } from './languages.ts';
import { ownDependency } from './own-dependency.ts';

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
  throw new PluglotError(
    'INVALID_ARGUMENTS',
    `${JSON.stringify(name.slice(0, 100))} is no name for a plugin: it has small letters and digits, in words with one dash between them, begins with a letter, and has at most ${LONGEST_NAME} characters.${way}`,
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
  throw new PluglotError(
    'INVALID_ARGUMENTS',
    `${folder} is there already, and is not empty. Choose another name, or take it away first.`,
  );
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
