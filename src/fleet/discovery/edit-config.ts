// `pluglot add` and `pluglot remove`: one entry in or out of a pluglot.json or .mcp.json, everything else as it was.
import { createHash } from 'node:crypto';
import { PluglotError } from '../../base/error.ts';
import { MiB } from '../../base/limits.ts';
import { shown } from '../../base/shown.ts';
import { nearest } from '../../base/suggest.ts';
import { sentence } from '../../base/sentence.ts';
import { changeFile } from '../trust/guarded-file.ts';
import { readTextFile } from '../trust/regular-file.ts';
import type { PluginEntry } from './config-file.ts';
import { type ConfigForm, pluglotJsonForm } from './config-form.ts';
import { removeMember, setMember } from './json-edit.ts';
import { isPluginName, PLUGIN_NAME } from '../../definition/plugin-name.ts';
import { pluginName } from './plugin-name.ts';
import { secretsIn } from './secrets.ts';

export interface ConfigTarget {
  readonly file: string;
  /** Secrets are written into the user's file alone, which then is for the user's eyes alone. */
  readonly owner: 'user' | 'project';
  /** @default that of a pluglot.json */
  readonly form?: ConfigForm;
}

export interface NamedEntry {
  readonly name: string;
  readonly entry: PluginEntry;
}

/** What a file was and is, by its hash: undefined when it was not there, or was left as it is. */
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
   * All is decided, and nothing is written.
   * @default false
   */
  readonly dryRun?: boolean;
}

/**
 * Writes entries into the file, which is made when there is none.
 * @throws PluglotError CONFIG_INVALID when the file, or an entry, is not right; then nothing is written
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
          reason: 'there is one of this name already',
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
        missing.push({ name, ...(meant !== undefined && { meant }) });
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
    hashes = { ...(before !== undefined && { before }), after };
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
