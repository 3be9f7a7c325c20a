// `pluglot add` and `pluglot remove`: one plugin into or out of pluglot.json.
import path from 'node:path';
import { PluglotError } from '../../../base/error.ts';
import type { DialectName } from '../../../definition/plugin-spec.ts';
import type { PluginEntry } from '../../../fleet/discovery/config-file.ts';
import { addToConfig, removeFromConfig, type ConfigTarget } from '../../../fleet/discovery/edit-config.ts';
import { typedWords } from '../../../fleet/discovery/typed-words.ts';
import { ExitCode } from '../exit-code.ts';
import { followTrust, shown, targetOf, tellConsequences, tellTaken } from './config-target.ts';
import type { CommandContext } from './context.ts';

export interface AddOptions {
  readonly dialect?: DialectName;
  readonly url?: string;
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly user?: boolean;
  readonly replace?: boolean;
}

export async function add(context: CommandContext, name: string, options: AddOptions): Promise<ExitCode> {
  const { out, json } = context;
  const target = await targetOf(context, options.user === true);
  const entry = await entryOf(context, target, options);
  const { added, skipped, ...edit } = await addToConfig(target, [{ name, entry }], {
    replace: options.replace === true,
  });
  const [refused] = skipped;
  if (refused !== undefined) {
    throw new PluglotError('CONFIG_INVALID', `"${name}" was not added: ${refused.reason}. ${refused.wayOut}`);
  }
  const trusted = await followTrust(context, target, edit);
  if (json) out.line(JSON.stringify({ file: target.file, added, trusted }));
  else {
    out.line(`${out.colours.green('✓')} ${out.colours.cyan(name)} is in ${shown(context, target.file)} now.`);
    await tellTaken(context, target, added);
    await tellConsequences(context, target, edit, trusted);
  }
  return ExitCode.ok;
}

export async function remove(
  context: CommandContext,
  name: string,
  options: { readonly user?: boolean },
): Promise<ExitCode> {
  const { out, json } = context;
  const target = await targetOf(context, options.user === true);
  const { removed, missing, ...edit } = await removeFromConfig(target, [name]);
  const [unknown] = missing;
  if (unknown !== undefined) {
    const meant = unknown.meant === undefined ? '' : ` Did you mean "${unknown.meant}"?`;
    throw new PluglotError('UNKNOWN_PLUGIN', `There is no plugin "${name}" in ${target.file}.${meant}`);
  }
  const trusted = await followTrust(context, target, edit);
  if (json) out.line(JSON.stringify({ file: target.file, removed, trusted }));
  else {
    out.line(
      `${out.colours.green('✓')} ${out.colours.cyan(name)} is gone from ${shown(context, target.file)}.`,
    );
    await tellConsequences(context, target, edit, trusted);
  }
  return ExitCode.ok;
}

async function entryOf(
  { cwd, command }: CommandContext,
  { file, owner }: ConfigTarget,
  { dialect, url, env, header }: AddOptions,
): Promise<PluginEntry> {
  const wrong = (message: string) => new PluglotError('INVALID_ARGUMENTS', message);
  const speaks = dialect === undefined ? {} : { dialect };
  if (url !== undefined) {
    if (command !== undefined)
      throw wrong('Give either a command behind `--` or a --url: a plugin is started or reached.');
    if (env !== undefined) throw wrong('What is only reached has no environment. Use --header.');
    if (!URL.canParse(url)) throw wrong(`${JSON.stringify(url)} is no address.`);
    return { url, ...(header && { headers: pairs(header, '--header', wrong) }), ...speaks };
  }
  const [program, ...args] = await typedWords(command ?? [], cwd, {
    folder: path.dirname(file),
    keep: owner === 'user' ? 'absolute' : 'relative',
  });
  if (program === undefined || program === '')
    throw wrong(
      'Say how the plugin is started: pluglot add NAME -- COMMAND…, or where it is reached: --url.',
    );
  if (header !== undefined) throw wrong('Headers are for what is reached with a --url.');
  return {
    command: program,
    ...(args.length > 0 && { args }),
    ...(env && { env: pairs(env, '--env', wrong) }),
    ...speaks,
  };
}

function pairs(
  words: readonly string[],
  option: string,
  wrong: (message: string) => PluglotError,
): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      // The word may hold a secret.
      if (at < 1) throw wrong(`${option} takes key=value, such as ${option} NAME=text.`);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}
