// Where other clients keep their MCP servers, per platform.
import path from 'node:path';
import type { Environment } from './config-places.ts';

export const clientNames = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'gemini'] as const;

export type ClientName = (typeof clientNames)[number];

export interface ClientEnvironment {
  readonly home: string;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly env: Environment;
}

export interface ClientFile {
  readonly file: string;
  /** `project`: relative paths in it start in the project's folder. */
  readonly scope: 'user' | 'project';
  /** Who wrote it: files in a project's folder may come from others. */
  readonly owner: 'user' | 'project';
  /** The keys that lead to the servers. */
  readonly servers: readonly string[];
}

/** In the order in which the client itself prefers them. */
export function clientFiles(client: ClientName, context: ClientEnvironment): ClientFile[] {
  const { home, cwd, env } = context;
  const user = (file: string, ...servers: string[]): ClientFile => ({
    file,
    scope: 'user',
    owner: 'user',
    servers,
  });
  const project = (name: string, ...servers: string[]): ClientFile => ({
    file: path.join(cwd, name),
    scope: 'project',
    owner: 'project',
    servers,
  });
  switch (client) {
    case 'claude-desktop':
      return [user(path.join(applications(context), 'Claude', 'claude_desktop_config.json'), 'mcpServers')];
    case 'claude-code': {
      const own = path.join(env['CLAUDE_CONFIG_DIR'] ?? home, '.claude.json');
      return [
        { file: own, scope: 'project', owner: 'user', servers: ['projects', cwd, 'mcpServers'] },
        project('.mcp.json', 'mcpServers'),
        user(own, 'mcpServers'),
      ];
    }
    case 'cursor':
      return [
        project('.cursor/mcp.json', 'mcpServers'),
        user(path.join(home, '.cursor', 'mcp.json'), 'mcpServers'),
      ];
    case 'vscode':
      return [
        project('.vscode/mcp.json', 'servers'),
        // The older place.
        project('.vscode/settings.json', 'mcp', 'servers'),
        ...['Code', 'Code - Insiders'].flatMap((name) => {
          const folder = path.join(applications(context), name, 'User');
          return [
            user(path.join(folder, 'mcp.json'), 'servers'),
            user(path.join(folder, 'settings.json'), 'mcp', 'servers'),
          ];
        }),
      ];
    case 'gemini':
      return [
        project('.gemini/settings.json', 'mcpServers'),
        user(path.join(home, '.gemini', 'settings.json'), 'mcpServers'),
      ];
  }
}

/** Where desktop programs keep their settings. */
function applications({ home, platform, env }: ClientEnvironment): string {
  switch (platform) {
    case 'darwin':
      return path.join(home, 'Library', 'Application Support');
    case 'win32':
      return env['APPDATA'] ?? path.join(home, 'AppData', 'Roaming');
    default:
      return env['XDG_CONFIG_HOME'] ?? path.join(home, '.config');
  }
}
