// Where a command runs: what the call asks for, when the owner allows it.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { shown } from '../../base/shown.ts';
import { fail } from '../../definition/failure.ts';
import { canonical, isInside } from '../../fleet/trust/containment.ts';
import type { Settings } from './settings.ts';

/**
 * After all symbolic links, so that what was looked at is what is used.
 * @throws Failure INVALID_ARGUMENTS when it is not there, no folder, or not allowed
 */
export async function workingFolder(
  asked: string | undefined,
  { folder, allowedFolders }: Pick<Settings, 'folder' | 'allowedFolders'>,
): Promise<string> {
  const wanted = path.resolve(folder, asked ?? '.');
  const found = wanted.includes('\0') ? undefined : await canonical(wanted);
  // The owner chose the default one.
  if (asked !== undefined && !(await isAllowed(wanted, found, allowedFolders)))
    refuse(
      `cwd ${shown(asked)} is outside of the folders in which commands may run: ${allowedFolders.join(', ')}. Choose one of them or below.`,
    );
  if (found === undefined) return refuse(`The folder ${shown(wanted)} is not there. ${WAY_OUT}`);
  if (!(await isFolder(found))) return refuse(`${shown(wanted)} is no folder. ${WAY_OUT}`);
  return found;
}

const WAY_OUT = 'Give another cwd, or make the folder first.';

async function isAllowed(
  wanted: string,
  found: string | undefined,
  allowedFolders: readonly string[],
): Promise<boolean> {
  // What is not there leads nowhere, and only its name can be looked at.
  if (found === undefined) return allowedFolders.some((allowed) => isInside(allowed, wanted));
  const folders = await Promise.all(allowedFolders.map(canonical));
  return folders.some((allowed) => allowed !== undefined && isInside(allowed, found));
}

async function isFolder(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isDirectory();
  } catch {
    return false;
  }
}

function refuse(message: string): never {
  return fail({ code: 'INVALID_ARGUMENTS', message });
}
