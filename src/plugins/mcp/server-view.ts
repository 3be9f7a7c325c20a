// A server as it may be shown: its configuration and its state, without secrets.
import type { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { sentences } from '../../base/text.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import type { PluginEntry } from '../../fleet/discovery/config-file.ts';
import { disabledMessage, type Found } from '../../fleet/discovery/discover.ts';
import { maskedEntry } from '../../fleet/discovery/secrets.ts';
import type { Plugin } from '../../fleet/plugin/plugin.ts';
import type { ServerState, ServerView } from './servers.ts';

export interface Circumstances {
  /** While the host has it. */
  readonly plugin: Plugin | undefined;
  /** Its configuration has changed since it was started. */
  readonly isOutdated: boolean;
  /** The user has disconnected it. */
  readonly isDisconnected: boolean;
  /** Why the host could not start it. */
  readonly failure: PluglotError | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export function serverView(found: Found, circumstances: Circumstances): ServerView {
  const { spec, origin } = found;
  const { plugin, isOutdated, now } = circumstances;
  const { state, reason } = stateOf(found, circumstances);
  const status = plugin?.status;
  const version = plugin?.manifest?.version;
  return {
    name: spec.name,
    state,
    ...(reason !== undefined && { reason }),
    transport: spec.start.kind === 'http' ? 'http' : 'stdio',
    target: targetOf(spec),
    tools: (plugin?.tools() ?? []).map(({ name, description }) => ({
      name,
      ...(description !== undefined && { description }),
    })),
    place: origin.line === undefined ? origin.file : `${origin.file}:${origin.line}`,
    entry: entryOf(spec),
    forMs: status === undefined ? 0 : Math.max(0, now - status.since),
    restarts: status?.restarts ?? 0,
    pids: status?.pids ?? [],
    ...(version !== undefined && { version }),
    ...(isOutdated && { isOutdated }),
  };
}

function stateOf(
  { trust, disabled, spec }: Found,
  { plugin, isDisconnected, failure }: Circumstances,
): { state: ServerState; reason?: string } {
  if (plugin !== undefined) {
    const { state, reason } = plugin.status;
    return { state, ...(reason !== undefined && state !== 'stopped' && { reason: reason.message }) };
  }
  if (disabled !== undefined) return { state: 'disabled', reason: disabledMessage('It', disabled) };
  if (!trust.trusted) return { state: 'not trusted', reason: sentences(trust.reason, trust.wayOut) };
  if (isDisconnected) return { state: 'stopped' };
  if (failure !== undefined) return { state: 'failed', reason: failure.message };
  return { state: 'not connected', reason: `Connect it with: mcp connect ${spec.name}` };
}

function targetOf({ start }: PluginSpec): string {
  if (start.kind === 'http') return maskedEntry({ url: start.shown ?? start.url }).url ?? '';
  const [program = '', ...words] = start.shown ?? [start.command, ...(start.args ?? [])];
  return [program, ...(maskedEntry({ args: words }).args ?? [])].join(' ');
}

function entryOf({ start }: PluginSpec): JsonObject {
  const entry = (): PluginEntry => {
    if (start.kind === 'http') {
      const { url, shown, headers, oauth } = start;
      return { url: shown ?? url, ...(headers && { headers }), ...(oauth && { oauth }) };
    }
    const [command = '', ...args] = start.shown ?? [start.command, ...(start.args ?? [])];
    const { env, cwd } = start;
    return { command, args, ...(cwd !== undefined && { cwd }), ...(env && { env }) };
  };
  // Headers, and the secret of a client, are there with their variables replaced: no value of them is shown.
  const { headers, oauth, ...rest } = maskedEntry(entry());
  const masked = {
    type: start.kind === 'http' ? 'http' : 'stdio',
    ...rest,
    ...(headers && { headers: Object.fromEntries(Object.keys(headers).map((name) => [name, '***'])) }),
    ...(oauth && { oauth: { ...oauth, ...(oauth.clientSecret !== undefined && { clientSecret: '***' }) } }),
  };
  // All of it was read from JSON.
  return masked as unknown as JsonObject;
}
