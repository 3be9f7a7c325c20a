// Which file is the program of the plugin, when nobody says it.
import fs from 'node:fs';
import path from 'node:path';
import { PluglotError } from '../../../base/error.ts';

/** @throws PluglotError INVALID_ARGUMENTS when there is none, UNSUPPORTED when it is not JavaScript */
export function findEntry(folder: string, given: string | undefined): string {
  const candidates = given === undefined ? usualEntries : [given];
  const found = candidates.map((name) => path.resolve(folder, name)).find(isFile);
  const isPython = given === undefined ? isFile(path.resolve(folder, 'plugin.py')) : given.endsWith('.py');
  if (isPython && (found === undefined || given !== undefined))
    throw new PluglotError(
      'UNSUPPORTED',
      'Only plugins in JavaScript or TypeScript are bundled. A plugin in Python runs as it is: copy its folder to where a host looks for plugins.',
    );
  if (found !== undefined) return fs.realpathSync(found);
  throw new PluglotError(
    'INVALID_ARGUMENTS',
    given === undefined
      ? `There is no plugin here: looked for main, plugin and index (${extensions.map((one) => `.${one}`).join(', ')}), also in src. Name the file that calls serve(), as in: pluglot build my-plugin.ts`
      : `"${given}" is no file. Name the file that calls serve() or exports the plugin as default.`,
  );
}

const extensions = ['ts', 'mts', 'mjs', 'js'];

/** A program that serves a plugin of another file is called main. */
const usualEntries = ['main', 'src/main', 'plugin', 'src/plugin', 'index', 'src/index'].flatMap((name) =>
  extensions.map((extension) => `${name}.${extension}`),
);

function isFile(file: string): boolean {
  return fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}
