// A plugin in the sandbox: what it sees by itself, and what its configuration adds.
import path from 'node:path';
import { PluglotError, toError } from '../../base/error.ts';
import { kindOf } from '../../base/search-path.ts';
import { sentences } from '../../base/text.ts';
import type { ConfinePlugin, PluginToConfine } from '../../fleet/supervisor/process-launcher.ts';
import { isInside } from '../../fleet/trust/paths.ts';
import { isSandbox } from './find-sandbox.ts';
import { realPath } from './places.ts';
import type { Confinement, OwnFile, Sandbox, SandboxMissing } from './sandbox.ts';

/** @throws PluglotError PROGRAM_NOT_FOUND where nothing can be confined */
export function pluginConfiner(found: Sandbox | SandboxMissing): ConfinePlugin {
  if (!isSandbox(found)) {
    throw new PluglotError(
      'PROGRAM_NOT_FOUND',
      `A plugin with "sandbox" in its configuration cannot be started: ${sentences(found.missing, found.fix)}`,
    );
  }
  return (asked) => {
    try {
      return found.confine(asked.program, confinementOf(asked));
    } catch (thrown) {
      throw new PluglotError(
        'CONFIG_INVALID',
        `Plugin "${asked.plugin}" cannot be started: ${toError(thrown).message}`,
        { cause: thrown },
      );
    }
  };
}

function confinementOf({ program, sandbox, folder, writable }: PluginToConfine): Confinement {
  const { folders = {}, network = false, memoryMiB, processes } = sandbox;
  const named = Object.entries(folders).map(([name, access]) => ({ path: name, access }));
  const cwd = realPath(program.cwd);
  const enclosing = named.find((each) => isInside(realPath(each.path), cwd));
  return {
    // Paths are given as they are configured: the sandbox looks for links on their way.
    workspace: enclosing?.path ?? program.cwd,
    access: enclosing?.access ?? 'read-only',
    // It runs for long: what git changed would be taken over only at its end.
    repository: 'read-only',
    network,
    folders: [
      ...named.filter((each) => each !== enclosing),
      ...writable.map((each) => ({ path: each, access: 'writable' as const, isOwn: true })),
    ],
    ownFiles: ownFiles(program, folder),
    limits: {
      ...(memoryMiB !== undefined && { memoryBytes: memoryMiB * 1024 * 1024 }),
      ...(processes !== undefined && { processes }),
    },
  };
}

/** The folder of the plugin, and the files that its command line names: a script with what it loads from beside it, others alone. */
function ownFiles({ cwd, args = [] }: PluginToConfine['program'], folder: string): OwnFile[] {
  const files = args
    .map((word) => path.resolve(cwd, word))
    .filter((file) => kindOf(file) === 'file' || kindOf(file) === 'executable');
  return [
    { path: folder, withPackage: true },
    ...files.map((file, index) => ({ path: file, withPackage: index === 0 })),
  ];
}
