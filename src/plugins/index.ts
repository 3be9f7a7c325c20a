// The built-in plugins, written like anyone's. One more is a folder and a line here; nothing heavy is loaded before a tool is called.
import type { Definition } from '../definition/definition.ts';
import type { HostPorts } from './host-ports.ts';

export function builtInPlugins(_ports: HostPorts): readonly Definition[] {
  return [];
}
