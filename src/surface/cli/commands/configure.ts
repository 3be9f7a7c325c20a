// `pluglot add` and `pluglot remove`: one plugin into or out of pluglot.json.
import path from 'node:path';
import { PluglotError } from '../../../base/error.ts';
import { sentences } from '../../../base/sentence.ts';
import type { ShownManifest } from '../../../runtime/api.ts';
import type { DialectName } from '../../../definition/plugin-spec.ts';
import type { PluginEntry } from '../../../fleet/discovery/config-file.ts';
import { addToConfig, removeFromConfig, type ConfigTarget } from '../../../fleet/discovery/edit-config.ts';
import { typedWords } from '../../../fleet/discovery/typed-words.ts';
import { printable } from '../../../base/printable.ts';
import { ExitCode } from '../exit-code.ts';
import { errorForPrograms, tellLastWords } from '../failure.ts';
import { discoverHere } from '../host/discover-here.ts';
import { withHost } from '../host/with-host.ts';
import { followTrust, shown, targetOf, tellConsequences, tellTaken } from './config-target.ts';
import type { CommandContext } from './context.ts';

export interface AddOptions {
  readonly dialect?: DialectName;
  readonly url?: string;
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly user?: boolean;
  readonly replace?: boolean;
  /** Start it once, to see whether it works. @default true */
  readonly try?: boolean;
  readonly sandbox?: boolean;
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
    throw new PluglotError(
      'CONFIG_INVALID',
      `"${name}" was not added: ${sentences(refused.reason, refused.wayOut)}`,
    );
  }
  const trusted = await followTrust(context, target, edit);
  if (!json) {
    out.line(`${out.colours.green('✓')} ${out.colours.cyan(name)} is in ${shown(context, target.file)} now.`);
    await tellTaken(context, target, added);
    await tellConsequences(context, target, edit, trusted);
  }
  const tried = options.try === false || trusted === false ? undefined : await tryOut(context, target, name);
  if (json) out.line(JSON.stringify({ file: target.file, added, trusted, ...forPrograms(tried) }));
  else if (tried !== undefined) tellTried(context, name, tried);
  return ExitCode.ok;
}

type Tried = ShownManifest | PluglotError;

/** Undefined where the name means a plugin of another file, which is none of this command's business. */
async function tryOut(
  context: CommandContext,
  { file }: ConfigTarget,
  name: string,
): Promise<Tried | undefined> {
  const own: CommandContext = { ...context, command: undefined };
  const { plugins } = await discoverHere(own);
  if (plugins.find(({ spec }) => spec.name === name)?.origin.file !== file) return undefined;
  context.err.progress(`trying ${name} … (Ctrl-C skips that)`);
  try {
    return await withHost(own, { tellsProblems: false }, async (host) => {
      const { manifest } = await host.plugin(name, { ask: true });
      return manifest ?? new PluglotError('START_FAILED', `Plugin "${name}" said nothing of itself.`);
    });
  } catch (thrown) {
    if (!(thrown instanceof PluglotError) || context.signal.aborted) throw thrown;
    return thrown;
  }
}

/** That it does not work yet is no reason to forget it: what it needs may come later. */
function tellTried(context: CommandContext, name: string, tried: Tried): void {
  const { out, err } = context;
  err.clear();
  if (!(tried instanceof PluglotError)) {
    const count = tried.tools.length === 1 ? '1 tool' : `${tried.tools.length} tools`;
    out.line(out.colours.dim(`  It works: it speaks ${tried.dialect} and has ${count}.`));
    return;
  }
  err.line(`${err.colours.yellow('!')} It does not work yet: ${printable(tried.message)}`);
  tellLastWords(err, tried.stderr);
  err.line(
    err.colours.dim(`  Try again with \`pluglot inspect ${name}\`; \`pluglot remove ${name}\` removes it.`),
  );
}

function forPrograms(tried: Tried | undefined): object {
  if (tried === undefined) return {};
  if (tried instanceof PluglotError) return { error: errorForPrograms(tried) };
  return { dialect: tried.dialect, tools: tried.tools.length };
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
  { dialect, url, env, header, sandbox }: AddOptions,
): Promise<PluginEntry> {
  const wrong = (message: string) => new PluglotError('INVALID_ARGUMENTS', message);
  const speaks = dialect === undefined ? {} : { dialect };
  if (url !== undefined) {
    if (command !== undefined)
      throw wrong('Give either a command behind `--` or a --url: a plugin is started or reached.');
    if (sandbox === true) throw wrong('What is only reached has no process that could be confined.');
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
    ...(sandbox === true && { sandbox }),
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
