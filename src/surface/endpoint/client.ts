// Who is at the other end, by its own word: its name, and what it can be asked.
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Server,
} from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { printableLine } from '../../base/printable.ts';
import type { PluginQuestion } from '../../definition/asker.ts';

export interface Client {
  readonly name: string;
  readonly capabilities: JsonObject;
}

/** From what came with the request, as clients say it since 2026; else from their hello. */
export function clientOf(server: Server, envelope?: unknown): Client {
  const told = isJsonObject(envelope) ? envelope : {};
  const info: unknown = told[CLIENT_INFO_META_KEY] ?? server.getClientVersion();
  const capabilities: unknown = told[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const name = isJsonObject(info) && typeof info['name'] === 'string' ? printableLine(info['name'], 100) : '';
  return {
    name: name === '' ? 'unknown' : name,
    capabilities: isJsonObject(capabilities) ? capabilities : {},
  };
}

/** Why it cannot be asked that; undefined: it can. */
export function unable({ name, capabilities }: Client, { kind, params }: PluginQuestion): string | undefined {
  switch (kind) {
    case 'sample':
      return capabilities['sampling'] === undefined
        ? `The client "${name}" lends nobody its model.`
        : undefined;
    case 'roots':
      return capabilities['roots'] === undefined
        ? `The client "${name}" tells nobody its folders.`
        : undefined;
    case 'elicit':
      return showsForms(capabilities, params['mode'] === 'url' ? 'url' : 'form')
        ? undefined
        : `The client "${name}" asks its user nothing of this kind.`;
  }
}

/** One that names no kind of question shows forms: there were no others. */
export function showsForms({ elicitation }: JsonObject, mode: 'form' | 'url' = 'form'): boolean {
  if (!isJsonObject(elicitation)) return false;
  if (elicitation[mode] !== undefined) return true;
  return mode === 'form' && elicitation['url'] === undefined;
}
