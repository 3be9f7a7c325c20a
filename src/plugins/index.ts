// The built-in plugins, written on the SDK. A new one is a folder and a line here; packages are loaded when a tool needs them.
import type { Definition } from '../definition/definition.ts';
import { cliPlugin } from './cli/cli-plugin.ts';
import type { HostPorts } from './host-ports.ts';
import { mcpPlugin } from './mcp/mcp-plugin.ts';
import { permissionPlugin } from './permission/permission-plugin.ts';
import { referencesPlugin } from './references/references-plugin.ts';
import { todoPlugin } from './todo/todo-plugin.ts';
import { webSearchPlugin } from './web-search/web-search-plugin.ts';

export function builtInPlugins(ports: HostPorts): readonly Definition[] {
  return [
    cliPlugin(ports),
    mcpPlugin(ports),
    webSearchPlugin(ports),
    todoPlugin(ports),
    referencesPlugin(ports),
    permissionPlugin(ports),
  ];
}
