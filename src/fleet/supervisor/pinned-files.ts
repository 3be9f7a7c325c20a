// Files that are run and have to be just those that were trusted: read before the start, compared after it.
import { stat } from 'node:fs/promises';
import { PluglotError } from '../../base/error.ts';
import { MiB } from '../../base/limits.ts';
import { shellWord } from '../../base/shell-word.ts';
import { hashFile, identityOf } from '../trust/regular-file.ts';
import type { PinnedFile } from './launcher.ts';
import type { CheckedFile } from './spawn.ts';

/** What is larger would take too much memory: then its place is compared, and its bytes are not kept. */
const KEPT_MAX = 64 * MiB;

export interface ReadFiles {
  /** Their bytes, as they were compared with the pins. */
  readonly checked: readonly CheckedFile[];
  /**
   * A program that exchanges a file and puts the first one back changes its ctime, which only the system can set.
   * @throws PluglotError NOT_TRUSTED when a file was touched since it was read
   */
  confirm(): Promise<void>;
}

/** @throws PluglotError NOT_TRUSTED when a file is not the one that was trusted */
export async function readPinned(
  plugin: string,
  pinned: readonly PinnedFile[],
  areShown: boolean,
): Promise<ReadFiles> {
  const checked: CheckedFile[] = [];
  const identities = new Map<string, string>();
  for (const { file, sha256 } of pinned) {
    const read = await hashFile(file, areShown ? KEPT_MAX : 0);
    if (read.kind !== 'read' || read.sha256 !== sha256) throw changed(plugin, file);
    identities.set(file, read.identity);
    if (areShown && read.bytes !== undefined) checked.push({ file, bytes: read.bytes, mode: read.mode });
  }
  return {
    checked,
    async confirm() {
      for (const [file, identity] of identities) {
        const now = await stat(file, { bigint: true }).catch(() => undefined);
        if (now === undefined || identityOf(now) !== identity) throw changed(plugin, file);
      }
    },
  };
}

function changed(plugin: string, file: string): PluglotError {
  return new PluglotError(
    'NOT_TRUSTED',
    `Plugin "${plugin}" may not be run: "${file}" was changed while it was started. Read it, then: pluglot trust add ${shellWord(file)}`,
  );
}
