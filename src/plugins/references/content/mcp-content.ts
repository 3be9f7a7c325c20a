// What a tool of an MCP server answers: called through the gate, like anybody's call.
import type { Caller } from '../../../definition/caller.ts';
import { fullName } from '../../../definition/full-name.ts';
import { jsonText } from '../../../base/shown.ts';
import type { JsonObject } from '../../../base/json.ts';
import type { Gate } from '../../../gate/gate.ts';
import type { HostPorts } from '../../host-ports.ts';
import { bounded, none, type Content, type GetOptions } from './content.ts';

export interface McpOptions extends GetOptions, Pick<HostPorts, 'findTool' | 'gate'> {
  readonly timeoutMs: number;
  readonly maxChars: number;
}

const caller: Caller = { kind: 'job', name: 'references' };

export async function mcpContent(
  { server, tool, args }: { readonly server: string; readonly tool: string; readonly args: JsonObject },
  options: McpOptions,
): Promise<Content> {
  const name = exposedName(server, tool, options);
  const gate = name === undefined ? undefined : gateOf(options);
  if (name === undefined || gate === undefined)
    return none(`no tool "${tool}" of a server "${server}" is there now; connect the server`);
  if (!options.mayAsk) {
    const verdict = await gate.check(name, args, caller);
    if (verdict.kind !== 'allow')
      return none(`a call of "${name}" needs somebody to allow it (${verdict.reason})`);
  }
  const { timeoutMs, signal, maxChars } = options;
  const outcome = await gate.call(name, args, { caller, timeoutMs, signal });
  if (!outcome.ok) return none(`"${name}" failed: ${outcome.error.message}`);
  const text = outcome.text ?? (outcome.data === undefined ? '' : jsonText(outcome.data));
  return text.trim() === '' ? none(`"${name}" answered with nothing`) : bounded(text, maxChars);
}

/** Of this server alone: another may have a tool of the same name. */
export function exposedName(
  server: string,
  tool: string,
  { findTool }: Pick<HostPorts, 'findTool'>,
): string | undefined {
  const servers = [server, server.replaceAll(/[^\w-]/g, '_')];
  const owner = servers.find((one) => findTool(fullName(one, tool))?.plugin === one);
  return owner && fullName(owner, tool);
}

/** It is made after the plugins. */
function gateOf({ gate }: Pick<McpOptions, 'gate'>): Gate | undefined {
  try {
    return gate();
  } catch {
    return undefined;
  }
}
