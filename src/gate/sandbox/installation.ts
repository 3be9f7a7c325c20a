// Where a program and its interpreter are installed, as far as the system's folders do not show it.
import path from 'node:path';
import { readShebang } from '../../fleet/supervisor/interpreters.ts';
import type { Program } from '../../fleet/supervisor/spawn.ts';
import { findOutside, isInside, leadsInto } from '../../fleet/trust/paths.ts';
import { isExecutable, isFolder, isTooWide, realPath, SYSTEM_FOLDERS } from './places.ts';

/** A script may name a script as its interpreter. */
const DEPTH_MAX = 4;

/**
 * Folders, or single programs.
 * @param writable folders that confined programs can write to: what lies there shows only the interpreters below
 */
export function installationOf(
  { command, env }: Program,
  home: string,
  writable: readonly string[],
): readonly string[] {
  const shown = new Set<string>();
  const find = (name: string) => findOutside(name, env['PATH'] ?? '', writable);
  let file: string | undefined = command;
  let isFoundInPath = true;
  for (let depth = 0; file !== undefined && depth < DEPTH_MAX; depth += 1) {
    const real = realPath(file);
    const isWritten = leadsInto(writable, file);
    if (isWritten) {
      const known = interpretersOf(find, home).find((folder) => isInside(folder, real));
      if (known !== undefined) shown.add(known);
      // Another program outside, which a link names: not shown, and not read.
      else if (!isSystem(real) && !leadsInto(writable, real)) return [...shown];
    } else if (isFoundInPath) {
      for (const each of [file, real]) if (!isSystem(each)) shown.add(installationFolder(each, home));
    } else if (!isSystem(real) && isExecutable(real)) shown.add(real);
    const shebang = readShebang(real);
    if (shebang === undefined || shebang.program === '') break;
    const { program, viaEnv } = shebang;
    const isAllowed = !isWritten || isKnown(program, viaEnv, find, home);
    file = !isAllowed ? undefined : viaEnv ? find(program) : program;
    isFoundInPath = viaEnv;
  }
  return [...shown].filter((each) => (isFolder(each) ? !isTooWide(each, home) : isExecutable(each)));
}

/** What scripts are commonly written for. A script that a confined program may have written shows no other installation. */
const INTERPRETERS = [
  'bash',
  'bun',
  'deno',
  'lua',
  'node',
  'nodejs',
  'perl',
  'php',
  'python',
  'python3',
  'ruby',
  'sh',
  'zsh',
];

/** Where those are installed that the user's PATH leads to. */
function interpretersOf(find: (name: string) => string | undefined, home: string): readonly string[] {
  return INTERPRETERS.flatMap((name) => {
    const file = find(name);
    return file === undefined
      ? []
      : [file, realPath(file)]
          .filter((each) => !isSystem(each))
          .map((each) => installationFolder(each, home));
  });
}

function isKnown(
  program: string,
  viaEnv: boolean,
  find: (name: string) => string | undefined,
  home: string,
): boolean {
  if (viaEnv) return INTERPRETERS.includes(program);
  const real = realPath(program);
  return isSystem(real) || interpretersOf(find, home).some((folder) => isInside(folder, real));
}

function isSystem(file: string): boolean {
  return SYSTEM_FOLDERS.some((folder) => isInside(folder, file));
}

/** `X` for `X/bin/NAME`, all modules for one in `node_modules`, else the folder of the file; the file alone where much else is in that. */
function installationFolder(file: string, home: string): string {
  const folder = path.dirname(file);
  const parts = folder.split(path.sep);
  const modules = parts.indexOf('node_modules');
  const shown = realPath(
    modules === -1 ? programFolder(folder, home) : parts.slice(0, modules + 1).join(path.sep),
  );
  const isOfSystem = ['/etc', '/proc', '/sys', '/dev', '/run', '/boot'].some((each) => isInside(each, shown));
  return isOfSystem || isTooWide(shown, home) ? realPath(file) : shown;
}

function programFolder(folder: string, home: string): string {
  const isPart = ['bin', 'sbin', 'libexec', 'shims'].includes(path.basename(folder));
  const whole = realPath(isPart ? path.dirname(folder) : folder);
  const isShared = ['/', '/opt', path.join(home, '.local'), path.join(home, '.config')].includes(whole);
  return isShared || isTooWide(whole, home) ? folder : whole;
}
