// The first two messages to a plugin: it introduces itself, then is set up.
import { PluglotError } from '../../base/error.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import { refusal, replyTo, unexpected } from '../reply.ts';
import { failureOf } from './answer.ts';
import { METHOD_NOT_FOUND } from './codes.ts';
import { readManifest } from './manifest.ts';
import { initParams, methods, readInitResult, type InitResult } from './schema.ts';

export async function startUp(peer: Peer, spec: PluginSpec, signal: AbortSignal): Promise<Manifest> {
  const told = await shakeHands(peer, spec, signal);
  const { configApplied } = await initialize(peer, spec, signal);
  return readManifest(told, spec, configApplied);
}

/** What the plugin tells of itself. One whose manifest is on disk may have nothing to tell. */
async function shakeHands(peer: Peer, spec: PluginSpec, signal: AbortSignal): Promise<JsonObject> {
  const question = { pluginName: spec.name, method: methods.manifest };
  const reply = await replyTo(question, peer.request(methods.manifest, undefined, { signal }));
  if ('error' in reply) {
    if (reply.error.code === METHOD_NOT_FOUND && spec.manifest !== undefined) return {};
    const wayOut = 'A YAMS plugin answers it with its manifest; does this one speak another dialect?';
    throw refusal(question, reply.error, 'PROTOCOL_VIOLATION', wayOut);
  }
  if (isJsonObject(reply.result)) return reply.result;
  if (spec.manifest !== undefined) return {};
  throw unexpected(question, reply.result, '{ name, version, interfaces, … }');
}

/** A plugin without plugin.init is set up when there is nothing to set. */
async function initialize(
  peer: Peer,
  spec: PluginSpec,
  signal: AbortSignal,
): Promise<InitResult & { ok: true }> {
  const question = { pluginName: spec.name, method: methods.init };
  const reply = await replyTo(question, peer.request(methods.init, initParams(spec.config), { signal }));
  if ('error' in reply) {
    const hasConfig = Object.keys(spec.config ?? {}).length > 0;
    if (reply.error.code === METHOD_NOT_FOUND && !hasConfig) return { ok: true };
    const { code, suggestions = [] } = failureOf(reply.error);
    const isMissing = code === 'REQUIREMENT_MISSING';
    throw refusal(question, reply.error, isMissing ? code : 'START_FAILED', suggestions.join(' '));
  }
  const init = readInitResult(reply.result);
  if (init.ok) return init;
  throw new PluglotError(
    'START_FAILED',
    `Plugin "${spec.name}" answered ${methods.init} with an error: ${init.message}`,
  );
}
