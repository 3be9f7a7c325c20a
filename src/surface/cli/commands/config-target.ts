// The pluglot.json that a command changes, and what follows from the change: trust, and a fleet that runs already.
import path from 'node:path';
import { toError } from '../../../base/error.ts';
import { shellWord } from '../../../base/text.ts';
import { discover, userTrustStore } from '../../../fleet/discovery/discover.ts';
import type { ConfigTarget, Edit } from '../../../fleet/discovery/edit-config.ts';
import { homeFolders, projectFiles } from '../../../fleet/discovery/config-places.ts';
import { attach, socketOf } from '../attach.ts';
import { printableLine } from '../../../base/printable.ts';
import { type CommandContext, usageError } from '../context.ts';
import { hint, warn } from '../terminal.ts';

/** The user's own, the one that was named, or that of the project: the nearest, else a new one here. */
export async function targetOf(context: CommandContext, isUser: boolean): Promise<ConfigTarget> {
  const { cwd, env, home, configFile } = context;
  if (isUser && configFile !== undefined)
    throw usageError('Use either --user or --config: both name a file.');
  if (isUser) return { file: path.join(homeFolders(env, home).config, 'pluglot.json'), owner: 'user' };
  const file =
    configFile === undefined
      ? ((await (await projectFiles(cwd)).nearest('pluglot.json')) ?? path.join(cwd, 'pluglot.json'))
      : path.resolve(cwd, configFile);
  return { file, owner: 'project' };
}

/** What the user does with this command is trusted, as far as the file was trusted before. Undefined: it needs no trust. */
export async function followTrust(
  context: CommandContext,
  { file, owner }: ConfigTarget,
  { before, after }: Edit,
): Promise<boolean | undefined> {
  if (owner === 'user' || after === undefined) return undefined;
  const edit = before === undefined ? { after } : { before, after };
  return userTrustStore(context).follow(file, edit);
}

/** Shows what the user may have to do now. */
export async function showConsequences(
  context: CommandContext,
  target: ConfigTarget,
  edit: Edit,
  trusted: boolean | undefined,
): Promise<void> {
  showTrust(context, target, edit, trusted);
  await showRunning(context, trusted);
}

function showTrust(
  context: CommandContext,
  { file }: ConfigTarget,
  { before }: Edit,
  trusted: boolean | undefined,
): void {
  const { out, err } = context;
  if (trusted === true && before === undefined)
    hint(out, '  The file is new and yours, so it is trusted as it is now.');
  else if (trusted === true) hint(out, '  The file was trusted before, and stays trusted with this change.');
  else if (trusted === false)
    warn(
      err,
      `The file is not trusted yet. Read it, then: pluglot trust add ${shellWord(shown(context, path.dirname(file)))}`,
    );
}

/** Which of the names that were just written into this file mean a plugin of another file, which comes first. */
export async function showTaken(
  context: CommandContext,
  { file }: ConfigTarget,
  names: readonly string[],
): Promise<void> {
  const { cwd, home, env, configFile, err } = context;
  const { plugins } = await discover({ cwd, home, env, ...(configFile === undefined ? {} : { configFile }) });
  for (const { spec, origin } of plugins) {
    if (!names.includes(spec.name) || origin.file === file) continue;
    const place = [origin.file, origin.line].filter((part) => part !== undefined).join(':');
    warn(
      err,
      `It does not count: the name "${spec.name}" is taken by ${printableLine(place, LONGEST_PATH)}, which comes first. Rename or remove one of them.`,
    );
  }
}

/** It looks when it is asked for its plugins. */
async function showRunning(context: CommandContext, trusted: boolean | undefined): Promise<void> {
  const { err } = context;
  const host = await attach(await socketOf(context)).catch((thrown: unknown) => {
    // What was written stays written.
    warn(err, printableLine(toError(thrown).message, 1000));
    return undefined;
  });
  if (host === undefined) return;
  try {
    const { plugins } = await host.plugins({ fresh: true });
    const changed = plugins.filter((view) => view.changed !== undefined);
    if (trusted === false) hint(err, '  The running `pluglot up` takes it over when it is asked after that.');
    else if (changed.length === 0) hint(err, '  The running `pluglot up` has taken it over.');
    for (const { name, changed: text = '' } of changed)
      warn(err, `In the running \`pluglot up\`, ${name}: ${printableLine(text, 1000)}`);
  } finally {
    await host.close();
  }
}

/** Longer than any path. */
const LONGEST_PATH = 5000;

/** As short as it can be typed. */
export function shown({ cwd }: CommandContext, file: string): string {
  const relative = path.relative(cwd, file) || '.';
  return printableLine(relative.startsWith('..') ? file : relative, LONGEST_PATH);
}
