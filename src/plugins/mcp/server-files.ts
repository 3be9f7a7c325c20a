// Which file a server stands in or comes into, and what is said where there is none.
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { didYouMean } from '../../base/suggest.ts';
import { mcpJsonForm } from '../../fleet/discovery/config-form.ts';
import type { Discovery, Found } from '../../fleet/discovery/discover.ts';
import type { ConfigTarget } from '../../fleet/discovery/edit-config.ts';
import { projectFiles } from '../../fleet/discovery/project-files.ts';

export function unknownServer(name: string, names: readonly string[]): PluglotError {
  const way =
    didYouMean(name, names) || (names.length === 0 ? ' There are none.' : ` Known: ${names.join(', ')}.`);
  return new PluglotError('UNKNOWN_PLUGIN', `There is no MCP server "${name.slice(0, 100)}".${way}`);
}

/** The nearest of the project, else a new one here; or that of the user. */
export async function targetFor(home: string | undefined, cwd: string): Promise<ConfigTarget> {
  if (home !== undefined) return ownerOf(path.join(home, '.mcp.json'), home);
  const file = (await (await projectFiles(cwd)).nearest('.mcp.json')) ?? path.join(cwd, '.mcp.json');
  return { file, owner: 'project', form: mcpJsonForm };
}

export function ownerOf(file: string, home: string): ConfigTarget {
  const owner = file === path.join(home, '.mcp.json') ? 'user' : 'project';
  return { file, owner, form: mcpJsonForm };
}

/** The `.mcp.json` that a server stands in, also where it is broken there. */
export function placeOf({ plugins, problems }: Discovery, name: string, otherwise: () => Found): string {
  const found = plugins.find(({ spec }) => spec.name === name);
  const broken = problems.find(({ plugin, file }) => plugin === name && path.basename(file) === '.mcp.json');
  if (found === undefined && broken !== undefined) return broken.file;
  const { origin } = found ?? otherwise();
  if (origin.kind === 'mcp-json') return origin.file;
  throw new PluglotError(
    'CONFIG_INVALID',
    `"${name}" does not stand in a .mcp.json but in ${origin.file}. Remove it there: pluglot remove ${name}`,
  );
}
