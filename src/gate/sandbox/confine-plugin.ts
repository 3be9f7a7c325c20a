// A plugin in the sandbox: what it sees by itself, and what its configuration adds.
import path from 'node:path';
import { PluglotError, toError } from '../../base/error.ts';
import { kindOf } from '../../base/search-path.ts';
import { sentences } from '../../base/sentence.ts';
import type { ConfinePlugin, PluginToConfine } from '../../fleet/supervisor/process-launcher.ts';
import { isInside } from '../../fleet/trust/containment.ts';
import { isSandbox } from './find-sandbox.ts';
import type { Confinement, Sandbox, SandboxMissing } from './sandbox.ts';
import { isTooWide, realPath } from './shown.ts';

/** @throws PluglotError PROGRAM_NOT_FOUND where nothing can be confined */
export function pluginConfiner(found: Sandbox | SandboxMissing, home: string): ConfinePlugin {
  if (!isSandbox(found)) {
    throw new PluglotError(
      'PROGRAM_NOT_FOUND',
      `A plugin with "sandbox" in its configuration cannot be started: ${sentences(found.missing, found.fix)}`,
    );
  }
  return (asked) => {
    try {
      return found.confine(asked.program, confinementOf(asked, home));
    } catch (thrown) {
      throw new PluglotError(
        'CONFIG_INVALID',
        `Plugin "${asked.plugin}" cannot be started: ${toError(thrown).message}`,
        { cause: thrown },
      );
    }
  };
}

function confinementOf({ program, sandbox, folder, writable }: PluginToConfine, home: string): Confinement {
  const { folders = {}, network = false, memoryMiB, processes } = sandbox;
  const named = Object.entries(folders).map(([name, access]) => ({ path: name, access }));
  const cwd = realPath(program.cwd);
  const around = named.find((each) => isInside(realPath(each.path), cwd));
  const seen = [cwd, ...named.map((each) => realPath(each.path))];
  const own = ownFiles(program, folder, home).filter((each) => !seen.some((shown) => isInside(shown, each)));
  return {
    workspace: around?.path ?? cwd,
    access: around?.access ?? 'read-only',
    // It runs for long: what git changed would be taken over only at its end.
    repository: 'read-only',
    network,
    folders: [
      ...own.map((each) => ({ path: each, access: 'read-only' as const })),
      ...named.filter((each) => each !== around),
      ...writable.map((each) => ({ path: each, access: 'writable' as const, isOwn: true })),
    ],
    limits: {
      ...(memoryMiB !== undefined && { memoryBytes: memoryMiB * 1024 * 1024 }),
      ...(processes !== undefined && { processes }),
    },
  };
}

/** The folder of the plugin, and the files that its command line names: a script with what it loads from beside it, others alone. */
function ownFiles({ cwd, args = [] }: PluginToConfine['program'], folder: string, home: string): string[] {
  const [script, ...more] = args
    .map((word) => realPath(path.resolve(cwd, word)))
    .filter((file) => kindOf(file) === 'file' || kindOf(file) === 'executable');
  const projects = [folder, ...(script === undefined ? [] : [path.dirname(script)])].map(projectOf);
  return [
    ...new Set([
      ...projects.filter((each) => !isTooWide(each, realPath(home))),
      ...(script ? [script] : []),
      ...more,
    ]),
  ];
}

/** The folder of its package, where it is one. */
function projectOf(folder: string): string {
  const real = realPath(folder);
  let above = real;
  for (let steps = 0; steps < 4; steps += 1) {
    if (['package.json', 'pyproject.toml'].some((name) => kindOf(path.join(above, name)) !== undefined))
      return above;
    above = path.dirname(above);
  }
  return real;
}
