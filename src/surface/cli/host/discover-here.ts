// What is configured where the command was typed.
import path from 'node:path';
import { discover, type Discovery } from '../../../fleet/discovery/discover.ts';
import { builtInNames } from '../../../runtime/built-in-names.ts';
import type { CommandContext } from '../commands/context.ts';

/** All where none is named. */
export function onlyNamed(found: Discovery, only: readonly string[]): Discovery {
  if (only.length === 0) return found;
  const isMeant = (name: string) => only.includes(name);
  return {
    ...found,
    plugins: found.plugins.filter(({ spec }) => isMeant(spec.name)),
    modules: found.modules.filter(({ module }) => isMeant(module.name)),
    names: found.names.filter(isMeant),
    // Who names one wants clients to have it.
    builtIns: (found.builtIns ?? [])
      .filter(({ name }) => isMeant(name))
      .map((one) => ({ ...one, clients: one.clients ?? true })),
  };
}

export function discoverHere({
  cwd,
  home,
  env,
  configFile,
}: Pick<CommandContext, 'cwd' | 'home' | 'env' | 'configFile'>): Promise<Discovery> {
  const named = configFile === undefined ? {} : { configFile };
  return discover({ cwd, home, env, builtIns: builtInNames, ...named });
}

export function logFolder(stateFolder: string): string {
  return path.join(stateFolder, 'logs');
}
