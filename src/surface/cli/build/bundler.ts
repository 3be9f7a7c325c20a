// The bundler, which a project brings along only when it builds plugins.
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { rolldown } from 'rolldown';
import { PluglotError } from '../../../base/error.ts';

/** What we use of it. */
export interface Rolldown {
  readonly rolldown: typeof rolldown;
}

/** @throws PluglotError REQUIREMENT_MISSING */
export async function loadBundler(folder: string): Promise<Rolldown> {
  try {
    return await importFrom(folder);
  } catch (cause) {
    throw new PluglotError(
      'REQUIREMENT_MISSING',
      'Building a plugin needs the bundler rolldown, and it is not installed here. Install it: npm install --save-dev rolldown',
      { cause },
    );
  }
}

/** The project's own; else the one beside pluglot. */
async function importFrom(folder: string): Promise<Rolldown> {
  const resolve = createRequire(path.join(folder, 'package.json')).resolve;
  let file: string | undefined;
  try {
    file = resolve('rolldown');
  } catch {
    // Not in the project.
  }
  return (await import(file === undefined ? 'rolldown' : pathToFileURL(file).href)) as Rolldown;
}
