// What a server told of itself when it was said hello to.
import type { Client } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../base/json.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { Tool } from '../../definition/tool.ts';

export function manifestOf(client: Client, name: string, tools: readonly Tool[]): Manifest {
  const server = client.getServerVersion();
  const raw = defined({
    protocolVersion: client.getNegotiatedProtocolVersion(),
    capabilities: client.getServerCapabilities(),
    serverInfo: server,
    instructions: client.getInstructions(),
  }) as JsonObject; // what the client hands out came as JSON
  const { protocolVersion, capabilities, instructions } = raw;
  return {
    name: server?.name ?? name,
    version: server?.version ?? 'unknown',
    dialect: 'mcp',
    tools,
    raw,
    ...defined({ description: server?.description, protocolVersion, capabilities, instructions }),
  };
}

function defined(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
