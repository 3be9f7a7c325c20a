// The host's side of gevals: the handshake with an extension, and the end through which its operations are called.
import type { Clock } from '../../base/clock.ts';
import { defined, type Json } from '../../base/json.ts';
import { PluglotError } from '../../base/error.ts';
import { sentence, shown } from '../../base/text.ts';
import { within } from '../../base/async.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import { lines } from '../../channel/frame/lines.ts';
import type { RpcError } from '../../channel/message/rpc-error.ts';
import type { Exchange } from '../../channel/peer/exchange.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import { closePeer, pluginPeer, refusal, replyTo, type HostRequest } from '../host-base.ts';
import {
  defaultLimits,
  type DialectTraits,
  type HostDialect,
  type WirePort,
  type HostServices,
} from '../host-dialect.ts';
import { talkBy } from '../talk-tool.ts';
import { OperationCalls } from './host-calls.ts';
import { LINE_LIMIT } from './line-limit.ts';
import {
  PROTOCOL_VERSION,
  readLog,
  readManifest,
  type ExtensionManifest,
  type InitializeParams,
  type Report,
} from './schema.ts';

const traits: DialectTraits = { limits: defaultLimits, concurrency: 1, takesConfig: true };

export const gevals: HostDialect = { name: 'gevals', traits, connect };

async function connect(pipe: Pipe, spec: PluginSpec, services: HostServices): Promise<WirePort> {
  const receiveLimit = spec.limits?.messageBytes ?? traits.limits.messageBytes;
  const peer = pluginPeer(pipe, lines({ sendLimit: LINE_LIMIT, receiveLimit }), spec.name, services);
  const report: Report = (reason, got) => services.trouble({ kind: 'invalid', reason, text: shown(got) });
  const calls = new OperationCalls(peer, spec, services, report);
  // Extensions log at any time, also before their manifest.
  peer.onNotification('log', (params) => {
    const entry = readLog(params, report);
    if (entry !== undefined) calls.log(entry);
  });
  try {
    const { manifest, isAssumed } = await handshake(peer, spec, services.signal, report);
    calls.learn(manifest);
    return hostEnd(peer, manifest, isAssumed, calls, services.clock);
  } catch (error) {
    closePeer(peer);
    throw error;
  }
}

function hostEnd(
  peer: Peer,
  manifest: Manifest,
  isAssumed: boolean,
  calls: OperationCalls,
  clock: Clock,
): WirePort {
  const call: WirePort['call'] = (request, sink) => calls.start(request, sink);
  return {
    manifest,
    isAssumed,
    call,
    ...talkBy(manifest.tools, call),
    async shutdown(limitMs) {
      try {
        await within(peer.open('shutdown', {}).result, limitMs, clock);
      } catch {
        // Refused, or ended without an answer: in either case the process may be ended.
      }
    },
    close: () => closePeer(peer),
    ended: peer.ended,
  };
}

/** @throws PluglotError with a message that names the plugin */
async function handshake(
  peer: Peer,
  spec: PluginSpec,
  signal: AbortSignal,
  report: Report,
): Promise<{ readonly manifest: Manifest; readonly isAssumed: boolean }> {
  const request = { pluginName: spec.name, method: 'initialize' };
  const reply = await replyTo(request, initialize(peer, spec, signal));
  if ('error' in reply) throw refused(request, reply.error);
  const manifest = readManifest(reply.result, report);
  if ('problem' in manifest) {
    throw new PluglotError(
      'PROTOCOL_VIOLATION',
      `Plugin "${spec.name}" answered initialize with a manifest that cannot be used: ${sentence(manifest.problem)}`,
    );
  }
  // It came out of JSON.
  const raw = reply.result as Json;
  // Any program that answers `initialize` with an object could have sent a bare manifest.
  return { manifest: manifestOf(manifest, spec.name, raw), isAssumed: manifest.isBare };
}

async function initialize(peer: Peer, { name, config }: PluginSpec, signal: AbortSignal): Promise<unknown> {
  const params: InitializeParams = { protocolVersion: PROTOCOL_VERSION, ...defined({ config }) };
  let exchange: Exchange;
  try {
    exchange = peer.open('initialize', params, { signal });
  } catch (cause) {
    if (!(cause instanceof PluglotError && cause.code === 'FRAME_TOO_LARGE')) throw cause;
    throw new PluglotError(
      'START_FAILED',
      `The config of plugin "${name}" is too large: an extension of gevals reads lines of up to ${LINE_LIMIT} bytes. ` +
        `Put what is large into a file, and its path into the config.`,
      { cause },
    );
  }
  return exchange.result;
}

function refused(request: HostRequest, error: RpcError): PluglotError {
  const isVersion = error.code === -32602 && /protocol.{0,3}version/i.test(error.message);
  if (isVersion)
    return refusal(
      request,
      error,
      'UNSUPPORTED_PROTOCOL',
      `This host speaks version ${PROTOCOL_VERSION} of gevals.`,
    );
  const fix = error.code === -32601 ? 'It may speak another dialect.' : '';
  return refusal(request, error, 'START_FAILED', fix);
}

function manifestOf(manifest: ExtensionManifest, pluginName: string, raw: Json): Manifest {
  const {
    name = pluginName,
    version = 'unknown',
    description,
    protocolVersion,
    requires,
    operations,
  } = manifest;
  return {
    name,
    version,
    dialect: 'gevals',
    ...defined({ description, protocolVersion }),
    ...(requires.length > 0 && { requires }),
    tools: operations.map((operation) => ({
      name: operation.name,
      ...defined({ description: operation.description, inputSchema: operation.params }),
      ...(operation.own['facet'] === 'talk' && { facet: 'talk' }),
    })),
    raw,
  };
}
