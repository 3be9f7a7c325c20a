// Where a running `up` listens: one place per project, wherever in the project a command is typed.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { homeFolders } from '../../../fleet/discovery/home-folders.ts';
import { projectFiles } from '../../../fleet/discovery/project-files.ts';
import type { CommandContext } from '../commands/context.ts';

export async function socketOf({
  env,
  home,
  cwd,
  configFile,
}: Pick<CommandContext, 'env' | 'home' | 'cwd' | 'configFile'>): Promise<string> {
  const subject = configFile === undefined ? await projectFolder(cwd) : path.resolve(cwd, configFile);
  const name = createHash('sha256').update(subject).digest('hex').slice(0, 12);
  // Paths of sockets have a limit of about 100 bytes.
  return path.join(homeFolders(env, home).state, 'run', `${name}.sock`);
}

/** That of its configuration, else the root of the repository, else the current one. */
async function projectFolder(cwd: string): Promise<string> {
  const files = await projectFiles(cwd);
  const configuration = (await files.nearest('pluglot.json')) ?? (await files.nearest('.mcp.json'));
  return configuration === undefined ? files.top : path.dirname(configuration);
}
