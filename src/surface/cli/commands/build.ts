// `pluglot build [ENTRY]`: a plugin on the SDK as one file that runs without node_modules, and its manifests.
import path from 'node:path';
import { systemClock } from '../../../base/clock.ts';
import { shellWord } from '../../../base/shell-word.ts';
import { buildPlugin, type Built } from '../build/build-plugin.ts';
import { loadBundler } from '../build/bundler.ts';
import { findEntry } from '../build/find-entry.ts';
import { ExitCode } from '../exit-code.ts';
import { printable } from '../../../base/printable.ts';
import type { CommandContext } from './context.ts';

export interface BuildFlags {
  readonly out: string;
}

export async function build(
  context: CommandContext,
  entry: string | undefined,
  flags: BuildFlags,
): Promise<ExitCode> {
  const { cwd, err, json, out } = context;
  const file = findEntry(cwd, entry);
  const bundler = await loadBundler(cwd);
  err.progress(`Building ${path.relative(cwd, file)} …`);
  const built = await buildPlugin({
    bundler,
    entry: file,
    folder: cwd,
    out: path.resolve(cwd, flags.out),
    clock: systemClock,
    print: (text) => err.text(printable(text)),
  });
  if (json) {
    const { profile, files, skipped } = built;
    out.line(JSON.stringify({ name: profile.name, version: profile.version, entry: file, files, skipped }));
  } else tell(context, built);
  return ExitCode.ok;
}

function tell({ cwd, out, err }: CommandContext, { profile, files, skipped }: Built): void {
  const { green, dim } = out.colours;
  const names = files.map((file) => path.relative(cwd, file.path));
  const width = Math.max(...names.map((name) => name.length));
  for (const [index, { bytes }] of files.entries())
    out.line(`${green('✓')} ${(names[index] ?? '').padEnd(width)}  ${dim(`${Math.ceil(bytes / 1024)} KiB`)}`);
  for (const { name, reason } of skipped)
    err.line(`${err.colours.yellow('!')} There is no ${name}: ${printable(reason)}`);
  const [program = ''] = names;
  out.line(
    `${printable(profile.name)} ${printable(profile.version)} runs alone, without node_modules. Try it: pluglot inspect -- node ${shellWord(program)}`,
  );
}
