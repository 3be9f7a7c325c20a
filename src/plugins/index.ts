// The built-in plugins, written like anyone's. One more is a folder and a line here; nothing heavy is loaded before a tool is called.
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
