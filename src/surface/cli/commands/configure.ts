// `pluglot add` and `pluglot remove`: one plugin into or out of pluglot.json.
import path from 'node:path';
import { PluglotError } from '../../../base/error.ts';
import { sentences } from '../../../base/text.ts';
import type { Manifest } from '../../../definition/manifest.ts';
import type { DialectName } from '../../../definition/plugin-spec.ts';
import type { PluginEntry } from '../../../fleet/discovery/config-file.ts';
import {
  addToConfig,
  type ConfigTarget,
  removeFromConfig,
  typedWords,
} from '../../../fleet/discovery/edit-config.ts';
import { printableMarked } from '../../../base/printable.ts';
import { collect, defineCommand } from '../command.ts';
import { ExitCode } from '../exit-code.ts';
import { confirm, hint, warn } from '../terminal.ts';
import { errorForPrograms, showLastOutput } from '../failure.ts';
import { withRuntime } from '../open-runtime.ts';
import { discoverHere } from '../own-runtime.ts';
import { followTrust, shown, targetOf, showConsequences, showTaken } from './config-target.ts';
import { type CommandContext, usageError } from '../context.ts';

interface AddFlags {
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

export const commands = {
  add: defineCommand<AddFlags, [name: string]>({
    examples: [
      'pluglot add dice -- node server.mjs',
      'pluglot add docs --url http://127.0.0.1:3000/mcp',
      "pluglot add gh --user --env TOKEN='${env:GH_TOKEN}' -- gh-mcp",
    ],
    uses: 'new-plugin',
    declare: (command) =>
      command
        .argument('<name>', 'Name of the plugin')
        .option('--url <address>', 'Address of an MCP server over HTTP, instead of a command')
        .option('--env <key=value>', 'Environment variable of the plugin; repeatable', collect)
        .option('--header <key=value>', 'HTTP header for --url; repeatable', collect)
        .option('--sandbox', 'Run it in the sandbox: no network, only its own folder and the working folder')
        .option('--user', "Write to your own configuration instead of the project's")
        .option('--replace', 'Replace a plugin of the same name')
        .option('--no-try', 'Do not start it to see whether it works'),
    run: add,
  }),
  remove: defineCommand<{ user?: boolean }, [name: string]>({
    examples: ['pluglot remove dice'],
    uses: 'file',
    declare: (command) =>
      command
        .argument('<name>', 'Name of the plugin')
        .option('--user', 'Remove it from your own configuration'),
    run: remove,
  }),
};

async function add(context: CommandContext, flags: AddFlags, name: string): Promise<ExitCode> {
  const { out, json } = context;
  const target = await targetOf(context, flags.user === true);
  const entry = await entryOf(context, target, flags);
  const { added, skipped, ...edit } = await addToConfig(target, [{ name, entry }], {
    replace: flags.replace === true,
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
    confirm(out, `${out.colours.cyan(name)} was added to ${shown(context, target.file)}.`);
    await showTaken(context, target, added);
    await showConsequences(context, target, edit, trusted);
  }
  const tried = flags.try === false || trusted === false ? undefined : await tryOut(context, target, name);
  if (json) out.line(JSON.stringify({ file: target.file, added, trusted, ...forPrograms(tried) }));
  else if (tried !== undefined) showTried(context, name, tried);
  return ExitCode.ok;
}

type Tried = Manifest | PluglotError;

/** Undefined where the name means a plugin of another file, which this command does not change. */
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
    return await withRuntime(own, { showsProblems: false }, async (host) => {
      const { manifest } = await host.plugin(name, { ask: true });
      return manifest ?? new PluglotError('START_FAILED', `Plugin "${name}" sent no manifest.`);
    });
  } catch (thrown) {
    if (!(thrown instanceof PluglotError) || context.signal.aborted) throw thrown;
    return thrown;
  }
}

/** A plugin that does not work yet is kept: what it needs may come later. */
function showTried(context: CommandContext, name: string, tried: Tried): void {
  const { out, err } = context;
  err.clear();
  if (!(tried instanceof PluglotError)) {
    const count = tried.tools.length === 1 ? '1 tool' : `${tried.tools.length} tools`;
    hint(out, `  It works: it speaks ${tried.dialect} and has ${count}.`);
    return;
  }
  warn(err, `It does not work yet: ${printableMarked(tried.message)}`);
  showLastOutput(err, tried.stderr);
  hint(err, `  Try again with \`pluglot inspect ${name}\`; \`pluglot remove ${name}\` removes it.`);
}

function forPrograms(tried: Tried | undefined): object {
  if (tried === undefined) return {};
  if (tried instanceof PluglotError) return { error: errorForPrograms(tried) };
  return { dialect: tried.dialect, tools: tried.tools.length };
}

async function remove(
  context: CommandContext,
  { user = false }: { readonly user?: boolean },
  name: string,
): Promise<ExitCode> {
  const { out, json } = context;
  const target = await targetOf(context, user);
  const { removed, missing, ...edit } = await removeFromConfig(target, [name]);
  const [unknown] = missing;
  if (unknown !== undefined) {
    const meant = unknown.meant === undefined ? '' : ` Did you mean "${unknown.meant}"?`;
    throw new PluglotError('UNKNOWN_PLUGIN', `There is no plugin "${name}" in ${target.file}.${meant}`);
  }
  const trusted = await followTrust(context, target, edit);
  if (json) out.line(JSON.stringify({ file: target.file, removed, trusted }));
  else {
    confirm(out, `${out.colours.cyan(name)} was removed from ${shown(context, target.file)}.`);
    await showConsequences(context, target, edit, trusted);
  }
  return ExitCode.ok;
}

async function entryOf(
  { cwd, command }: CommandContext,
  { file, owner }: ConfigTarget,
  { dialect, url, env, header, sandbox }: AddFlags,
): Promise<PluginEntry> {
  const speaks = dialect === undefined ? {} : { dialect };
  if (url !== undefined) {
    if (command !== undefined)
      throw usageError('Give either a command behind `--` or a --url: a plugin is started or reached.');
    if (sandbox === true)
      throw usageError('--sandbox needs a command: a server with a --url has no process here.');
    if (env !== undefined) throw usageError('A server with a --url has no environment here. Use --header.');
    if (!URL.canParse(url)) throw usageError(`${JSON.stringify(url)} is not a URL.`);
    return { url, ...(header && { headers: pairs(header, '--header') }), ...speaks };
  }
  const [program, ...args] = await typedWords(command ?? [], cwd, {
    folder: path.dirname(file),
    keep: owner === 'user' ? 'absolute' : 'relative',
  });
  if (program === undefined || program === '')
    throw usageError('Give the command of the plugin, pluglot add NAME -- COMMAND…, or its address, --url.');
  if (header !== undefined) throw usageError('--header needs a --url.');
  return {
    command: program,
    ...(args.length > 0 && { args }),
    ...(env && { env: pairs(env, '--env') }),
    ...(sandbox === true && { sandbox }),
    ...speaks,
  };
}

function pairs(words: readonly string[], option: string): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      // The word may hold a secret.
      if (at < 1) throw usageError(`${option} takes key=value, such as ${option} NAME=text.`);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}
