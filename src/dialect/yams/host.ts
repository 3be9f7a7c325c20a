// The host's end of YAMS external plugins: says hello, sets up, then asks on behalf of others.
import path from 'node:path';
import type { JsonObject } from '../../base/json.ts';
import { DEFAULT_FRAME_LIMIT } from '../../base/limits.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import { lines } from '../../channel/frame/lines.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { Health, Manifest } from '../../definition/manifest.ts';
import type { CallRequest, CallSink } from '../../definition/outcome.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import type { DialectTraits, HostDialect, HostEnd, HostServices, WireCall } from '../host-dialect.ts';
import { closePeer, pluginPeer } from '../plugin-peer.ts';
import { replyTo, signOfLife, unexpected } from '../reply.ts';
import { talkBy } from '../say-tool.ts';
import { usualLimits } from '../usual-limits.ts';
import { failureOf } from './answer.ts';
import { METHOD_NOT_FOUND } from './codes.ts';
import { extractorFacet } from './extractor.ts';
import { OpenCall } from './open-call.ts';
import { HEALTH_FORM, hostOnlyMethods, methods, readHealth } from './schema.ts';
import { startUp } from './start-up.ts';

const traits: DialectTraits = {
  limits: { ...usualLimits, pingEveryMs: 10_000, pingMs: 3000 },
  concurrency: 1,
  timeoutKills: false,
  unlistedTools: true,
  takesConfig: true,
};

export const yams: HostDialect = { name: 'yams', traits, connect };

async function connect(pipe: Pipe, spec: PluginSpec, services: HostServices): Promise<HostEnd> {
  const messageBytes = spec.limits?.messageBytes ?? traits.limits.messageBytes;
  const framing = lines({
    receiveLimit: messageBytes,
    sendLimit: Math.max(messageBytes, DEFAULT_FRAME_LIMIT),
  });
  const peer = pluginPeer(pipe, framing, spec.name, services);
  try {
    return hostEnd(peer, spec.name, await startUp(peer, spec, services.signal));
  } catch (error) {
    closePeer(peer);
    throw error;
  }
}

function hostEnd(peer: Peer, plugin: string, manifest: Manifest): HostEnd {
  const start: HostEnd['call'] = (request, sink) => call(peer, plugin, request, sink);
  return {
    manifest,
    call: start,
    ...talkBy(manifest.tools, start),
    // Every answer will do, also one that says that there is no such method.
    ping: (limitMs) => signOfLife(peer, { pluginName: plugin, method: methods.health }, undefined, limitMs),
    health: (limitMs) => health(peer, plugin, limitMs),
    ...(manifest.extractor === undefined
      ? {}
      : { extractor: extractorFacet(peer, plugin, manifest.extractor) }),
    shutdown: (limitMs) => shutdown(peer, limitMs),
    close: () => closePeer(peer),
    ended: peer.ended,
  };
}

/** Any method may be called but those by which the host keeps the plugin going. */
function call(peer: Peer, plugin: string, request: CallRequest, sink: CallSink): WireCall {
  const { tool, args } = request;
  if (hostOnlyMethods.has(tool)) {
    const message = `Plugin "${plugin}" is told ${tool} by its host alone; it cannot be called as a tool.`;
    sink.end({ ok: false, error: { code: 'UNKNOWN_TOOL', message } });
    return { cancel: () => 'free' };
  }
  const params = tool === methods.extract ? withSource(request) : args;
  return new OpenCall(peer, plugin, tool, params, sink);
}

/** A source that is one word is a path, as people type it; plugins run in a folder of their own. */
function withSource({ args, context }: CallRequest): JsonObject {
  const { source } = args;
  if (typeof source !== 'string') return args;
  return { ...args, source: { type: 'path', path: path.resolve(context?.workdir ?? '', source) } };
}

async function health(peer: Peer, plugin: string, limitMs: number): Promise<Health> {
  const question = { pluginName: plugin, method: methods.health };
  const reply = await replyTo(question, peer.request(methods.health, undefined, { timeoutMs: limitMs }));
  if ('error' in reply) {
    if (reply.error.code === METHOD_NOT_FOUND) {
      return { status: 'ok', message: 'It is alive; it has no plugin.health that would tell more.' };
    }
    const { message, data } = failureOf(reply.error);
    return { status: 'error', message, ...(data === undefined ? {} : { details: data }) };
  }
  const told = readHealth(reply.result);
  if (told === undefined) throw unexpected(question, reply.result, HEALTH_FORM);
  return told;
}

/** An answer of any kind, an exit without one, and silence: after each of them the plugin may be ended. */
async function shutdown(peer: Peer, limitMs: number): Promise<void> {
  try {
    await peer.request(methods.shutdown, undefined, { timeoutMs: limitMs });
  } catch {
    // It was told, or nobody is there to be told.
  }
}
