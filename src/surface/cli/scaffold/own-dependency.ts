// How a new plugin comes by this pluglot: from the registry, or from the clone or file that this one came from.
import fs from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, type Json } from '../../../base/json.ts';

/** What package.json of the plugin has to say of it, for `npm install` to find it. */
export async function ownDependency(packageFolder: string, version: string): Promise<string> {
  const source = await localSource(packageFolder);
  return source === undefined ? `^${version}` : `file:${source}`;
}

/** Undefined where it was installed from a registry, or nobody knows. */
async function localSource(packageFolder: string): Promise<string | undefined> {
  const modules = path.dirname(packageFolder);
  if (path.basename(modules) !== 'node_modules') return packageFolder;
  const resolved = resolvedBy(await readJson(path.join(modules, '.package-lock.json')));
  if (resolved?.startsWith('file:') !== true) return undefined;
  return path.resolve(path.dirname(modules), resolved.slice('file:'.length));
}

/** npm keeps beside the packages where it took each of them from. */
function resolvedBy(lock: Json | undefined): string | undefined {
  const packages = isJsonObject(lock) ? lock['packages'] : undefined;
  const own = isJsonObject(packages) ? packages['node_modules/pluglot'] : undefined;
  const resolved = isJsonObject(own) ? own['resolved'] : undefined;
  return typeof resolved === 'string' ? resolved : undefined;
}

async function readJson(file: string): Promise<Json | undefined> {
  try {
    // What JSON.parse gives is JSON.
    return JSON.parse(await fs.readFile(file, 'utf8')) as Json;
  } catch {
    return undefined;
  }
}
