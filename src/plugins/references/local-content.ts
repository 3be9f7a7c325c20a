// The content of files and folders: only text, and only inside of allowed folders after symbolic links are resolved.
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { MiB } from '../../base/units.ts';
import { canonical, isInside } from '../../fleet/trust/paths.ts';
import { readTextFile } from '../../fleet/trust/files.ts';
import { bounded, type Content, none } from './source.ts';

export interface LocalOptions {
  /** Where a relative path begins. */
  readonly folder: string;
  readonly roots: readonly string[];
  readonly maxChars: number;
}

const FILE_LIMIT = MiB;
const FILES_MAX = 100;
/** Of a folder: how many entries are looked at, and how deep. */
const ENTRIES_MAX = 2000;
const DEPTH_MAX = 6;

export async function localContent(
  given: string,
  { folder, roots, maxChars }: LocalOptions,
): Promise<Content> {
  const target = path.resolve(folder, given);
  const real = await canonical(target);
  if (real === undefined) return none(`${target} does not exist`);
  const allowed = (await Promise.all(roots.map(canonical))).filter((root) => root !== undefined);
  const isAllowed = (file: string) => allowed.some((root) => isInside(root, file));
  if (!isAllowed(real))
    return none(
      `it leads to ${real}, outside of the folders that may be read; add the folder to allowed_roots if it is meant`,
    );
  const stats = await stat(real).catch(() => undefined);
  if (stats?.isDirectory()) return folderContent(real, isAllowed, maxChars);
  const read = await textOf(real);
  return 'problem' in read ? none(`the file ${read.problem}`) : bounded(read.text, maxChars);
}

async function textOf(file: string): Promise<{ readonly text: string } | { readonly problem: string }> {
  const reading = await readTextFile(file, FILE_LIMIT);
  if (reading.kind === 'absent') return { problem: 'no longer exists' };
  if (reading.kind === 'unreadable') return { problem: reading.reason };
  return reading.text.includes('\0') ? { problem: 'is binary' } : { text: reading.text };
}

/** Its text files one after the other, each under its name. */
async function folderContent(
  root: string,
  isAllowed: (file: string) => boolean,
  maxChars: number,
): Promise<Content> {
  const { files, isAll } = await filesIn(root, isAllowed);
  const parts: string[] = [];
  const leftOut: string[] = [];
  let size = 0;
  for (const file of files) {
    const name = path.relative(root, file);
    // What does not fit is named, not read.
    const read = size > maxChars ? { problem: 'did not fit' } : await textOf(file);
    if ('problem' in read) {
      leftOut.push(`${name} (${read.problem})`);
      continue;
    }
    const part = `--- ${name}\n${read.text.trimEnd()}\n`;
    parts.push(part);
    size += part.length;
  }
  if (parts.length === 0) return none(`the folder ${root} has no text file that can be read`);
  const cut = [
    ...(isAll ? [] : [`The folder has more than is looked at (${FILES_MAX} files, ${DEPTH_MAX} levels).`]),
    ...(leftOut.length === 0
      ? []
      : [`Left out: ${leftOut.slice(0, 10).join(', ')}${leftOut.length > 10 ? ' …' : ''}.`]),
  ].join(' ');
  return bounded(parts.join('\n'), maxChars, cut === '' ? undefined : cut);
}

/** Sorted by name, without hidden files, packages and links to other folders. */
async function filesIn(
  root: string,
  isAllowed: (file: string) => boolean,
): Promise<{ files: string[]; isAll: boolean }> {
  const files: string[] = [];
  let looked = 0;
  let isAll = true;
  const walk = async (folder: string, depth: number): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      looked += 1;
      if (looked > ENTRIES_MAX || files.length >= FILES_MAX) {
        isAll = false;
        return;
      }
      const place = path.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (depth < DEPTH_MAX) await walk(place, depth + 1);
        else isAll = false;
      } else if (entry.isFile()) files.push(place);
      else if (entry.isSymbolicLink()) {
        const real = await canonical(place);
        if (real !== undefined && isAllowed(real) && (await stat(real)).isFile()) files.push(place);
      }
    }
  };
  await walk(root, 1);
  return { files, isAll };
}
