// `pluglot add` and `pluglot remove`: adds or removes one entry of a pluglot.json or .mcp.json; the rest of the file is kept.
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { defined, type Json } from '../../base/json.ts';
import { nearest } from '../../base/names.ts';
import { sentence, sentences, shown } from '../../base/text.ts';
import { MiB } from '../../base/units.ts';
import { isPluginName, PLUGIN_NAME } from '../../definition/plugin-spec.ts';
import { changeFile, readTextFile } from '../trust/files.ts';
import { pluginName } from './candidate.ts';
import { parseConfig, type PluginEntry } from './config-file.ts';
import { removeMember, setMember } from './json-edit.ts';
import { memberOf, readJson } from './json-reader.ts';
import { mcpServer } from './mcp-json.ts';
import { describeProblem, syntaxProblem } from './problem.ts';
import { secretsIn } from './secrets.ts';

export interface ConfigTarget {
  readonly file: string;
  /** Secrets are written to the user's file alone, which then only the user may read. */
  readonly owner: 'user' | 'project';
  /** @default the form of pluglot.json */
  readonly form?: ConfigForm;
}

export interface NamedEntry {
  readonly name: string;
  readonly entry: PluginEntry;
}

/** Hashes of the file before and after: undefined if it did not exist, or was not changed. */
export interface Edit {
  readonly before?: string;
  readonly after?: string;
}

export interface Added extends Edit {
  readonly added: readonly string[];
  readonly skipped: readonly { readonly name: string; readonly reason: string; readonly wayOut: string }[];
}

interface AddOptions {
  /** @default false */
  readonly replace?: boolean;
  /**
   * Decides everything and writes nothing.
   * @default false
   */
  readonly dryRun?: boolean;
}

/**
 * Writes entries to the file and creates it if it does not exist.
 * @throws PluglotError CONFIG_INVALID when the file or an entry is invalid; then nothing is written
 */
export async function addToConfig(
  target: ConfigTarget,
  entries: readonly NamedEntry[],
  { replace = false, dryRun = false }: AddOptions = {},
): Promise<Added> {
  for (const { name } of entries) if (!isPluginName(name)) throw notAName(name);
  const { form = pluglotJsonForm } = target;
  const added: string[] = [];
  const skipped: Added['skipped'][number][] = [];
  const withSecrets = entries.some(({ entry }) => secretsIn(entry).length > 0);
  const change = async (text: string, names: readonly string[]) => {
    let edited = text;
    for (const { name, entry } of entries) {
      const secrets = secretsIn(entry);
      const member = names.find((one) => form.isNamed(one, name));
      if (target.owner === 'project' && secrets.length > 0) {
        const reason = `${secrets.join(', ')} looks like a secret, and the file belongs to the project`;
        skipped.push({
          name,
          reason,
          wayOut: `Write ${form.reference} instead, or put the plugin into your own configuration.`,
        });
      } else if (member !== undefined && !replace) {
        skipped.push({
          name,
          reason: 'a plugin of this name exists already',
          wayOut: 'Remove it first, or use --replace.',
        });
      } else {
        edited = setMember(edited, [form.key, member ?? name], form.write(entry));
        added.push(name);
      }
    }
    const wrong = await form.problemIn(target.file, edited, added);
    if (wrong !== undefined) throw new PluglotError('CONFIG_INVALID', wrong);
    return edited;
  };
  if (dryRun) {
    const { text } = await currentText(target.file, form);
    await change(text, await form.membersIn(target.file, text));
    return { added, skipped };
  }
  return { ...(await edit(target, withSecrets, change)), added, skipped };
}

function notAName(name: string): PluglotError {
  const near = pluginName(name);
  return new PluglotError(
    'CONFIG_INVALID',
    `${shown(name)} is not a name for a plugin: expected ${PLUGIN_NAME}.${near === undefined ? '' : ` Try "${near}".`}`,
  );
}

export interface Removed extends Edit {
  readonly removed: readonly string[];
  readonly missing: readonly { readonly name: string; readonly meant?: string }[];
}

/** @throws PluglotError CONFIG_INVALID when the file cannot be read */
export async function removeFromConfig(target: ConfigTarget, given: readonly string[]): Promise<Removed> {
  const { form = pluglotJsonForm } = target;
  const removed: string[] = [];
  const missing: Removed['missing'][number][] = [];
  const hashes = await edit(target, false, (text, names) => {
    let edited = text;
    for (const name of given) {
      const members = names.filter((one) => form.isNamed(one, name));
      for (const member of members) edited = removeMember(edited, [form.key, member]);
      if (members.length > 0) removed.push(name);
      else {
        const [meant] = nearest(name, names);
        missing.push(defined({ name, meant }));
      }
    }
    return Promise.resolve(edited);
  });
  return { removed, missing, ...hashes };
}

async function edit(
  { file, owner, form = pluglotJsonForm }: ConfigTarget,
  withSecrets: boolean,
  change: (text: string, names: readonly string[]) => Promise<string>,
): Promise<Edit> {
  const mode = owner === 'user' ? 0o600 : 0o644;
  let hashes: Edit = {};
  await changeFile(file, { mode, enforceMode: withSecrets && owner === 'user' }, async () => {
    const { text, before } = await currentText(file, form);
    const edited = await change(text, await form.membersIn(file, text));
    if (edited === text) return undefined;
    const after = createHash('sha256').update(edited).digest('hex');
    hashes = defined({ before, after });
    return edited;
  });
  return hashes;
}

async function currentText(file: string, { key }: ConfigForm): Promise<{ text: string; before?: string }> {
  const empty = `{\n  "${key}": {}\n}\n`;
  const read = await readTextFile(file, 4 * MiB);
  if (read.kind === 'unreadable')
    throw new PluglotError('CONFIG_INVALID', `${file} ${sentence(read.reason)}`);
  if (read.kind === 'absent') return { text: empty };
  return { text: read.text.trim() === '' ? empty : read.text, before: read.sha256 };
}

// The differences between the configuration files: where and how plugins are written there, and how they are validated.

interface ConfigForm {
  /** The key of the object with a member for each plugin. */
  readonly key: string;
  /** How the file refers to a variable of the environment. */
  readonly reference: string;
  /** Whether a member of that object is the plugin of this name. */
  isNamed(member: string, plugin: string): boolean;
  write(entry: PluginEntry): Json;
  /** All members, also broken ones. @throws PluglotError CONFIG_INVALID when the file cannot be read */
  membersIn(file: string, text: string): Promise<readonly string[]>;
  /** The first error in one of these plugins. */
  problemIn(file: string, text: string, plugins: readonly string[]): Promise<string | undefined>;
}

const pluglotJsonForm: ConfigForm = {
  key: 'plugins',
  reference: '${env:NAME}',
  isNamed: (member, plugin) => member === plugin,
  // An entry is JSON: it was read from JSON or typed.
  write: (entry) => entry as unknown as Json,
  async membersIn(file, text) {
    const { plugins, problems, usable } = await parseConfig(file, text);
    const [wrong] = problems.filter(({ reason }) => !usable || reason.startsWith('plugins: '));
    if (wrong) throw new PluglotError('CONFIG_INVALID', describeProblem(wrong));
    const broken = problems.flatMap(({ plugin }) => (plugin === undefined ? [] : [plugin]));
    return [...new Set([...plugins.map(({ name }) => name), ...broken])];
  },
  async problemIn(file, text, plugins) {
    const { problems } = await parseConfig(file, text);
    const wrong = problems.find(({ plugin }) => plugin !== undefined && plugins.includes(plugin));
    return wrong && describeProblem(wrong);
  },
};

/** `.mcp.json`, as other clients read it too. */
export const mcpJsonForm: ConfigForm = {
  key: 'mcpServers',
  reference: '${NAME}',
  isNamed: (member, plugin) => member === plugin || pluginName(member) === plugin,
  write({ command, args = [], cwd, env, url, headers, oauth, disabled }) {
    const entry = {
      type: command === undefined ? 'http' : 'stdio',
      ...(command !== undefined && defined({ command, args, cwd })),
      ...defined({ env, url, headers, oauth }),
      ...(disabled === true && { disabled }),
    };
    // As above.
    return entry as unknown as Json;
  },
  membersIn: (file, text) => Promise.resolve(serversIn(file, text).map(({ key }) => key)),
  problemIn(file, text, plugins) {
    for (const { key, node } of serversIn(file, text)) {
      const server = plugins.includes(key) ? mcpServer(node.value) : undefined;
      if (server?.ok === false)
        return Promise.resolve(`${file}: mcpServers.${key}: ${sentences(server.reason, server.wayOut)}`);
    }
    return Promise.resolve(undefined);
  },
};

function serversIn(file: string, text: string) {
  const reading = readJson(text, { syntax: 'jsonc' });
  if (!reading.ok) {
    throw new PluglotError(
      'CONFIG_INVALID',
      describeProblem(syntaxProblem(file, reading, 'Correct the line.')),
    );
  }
  const servers = memberOf(reading.root, 'mcpServers')?.node;
  if (servers === undefined && reading.root.members !== undefined) return [];
  if (servers?.members === undefined)
    throw new PluglotError(
      'CONFIG_INVALID',
      `${file}: "mcpServers" is not an object. Write { "mcpServers": { "NAME": { "command": "…" } } }.`,
    );
  return servers.members;
}

// A command typed in one folder, as a configuration file in another folder has to write it.

export interface TypedWordsOptions {
  /** The folder of the configuration file. */
  readonly folder: string;
  /** How paths are written: a user's file applies to every folder, a project's file moves with the project. */
  readonly keep: 'absolute' | 'relative';
}

/** Words that name an existing file become paths that lead to it from there; others are kept. */
export async function typedWords(
  words: readonly string[],
  cwd: string,
  { folder, keep }: TypedWordsOptions,
): Promise<string[]> {
  return Promise.all(
    words.map(async (word, index) => {
      // A program without a slash is found in PATH.
      if (word === '' || word.startsWith('-') || path.isAbsolute(word)) return word;
      if (index === 0 && !word.includes('/')) return word;
      if (keep === 'relative' && path.resolve(cwd) === path.resolve(folder)) return word;
      const place = path.resolve(cwd, word);
      if (!(await exists(place))) return word;
      if (keep === 'absolute') return place;
      const relative = path.relative(folder, place);
      return relative.startsWith('..') ? place : index === 0 ? `./${relative}` : relative || '.';
    }),
  );
}

async function exists(place: string): Promise<boolean> {
  try {
    await stat(place);
    return true;
  } catch {
    return false;
  }
}
