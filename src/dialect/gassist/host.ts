// The host's end of G-Assist V2: JSON-RPC 2.0 in length-prefixed frames, whose calls end by notifications.
import { defined, type Json, type JsonObject } from '../../base/json.ts';
import { PluglotError } from '../../base/error.ts';
import { sentence, shortened, textOf } from '../../base/text.ts';
import { describeEnding, type Pipe } from '../../channel/bytes/pipe.ts';
import { lengthPrefix } from '../../channel/frame/length-prefix.ts';
import type { PeerTrouble } from '../../channel/peer/options.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { CallRequest } from '../../definition/outcome.ts';
import type { PluginLimits, PluginSpec } from '../../definition/plugin-spec.ts';
import { closePeer, pluginPeer, refusal, replyTo, signOfLife, unexpected } from '../host-base.ts';
import type { DialectTraits, HostDialect, WirePort, HostServices } from '../host-dialect.ts';
import { defaultLimits } from '../host-dialect.ts';
import { GassistCalls } from './host-calls.ts';
import {
  initializeParams,
  isPresent,
  isVersion2,
  keysIn,
  MESSAGE_BYTES,
  parseIntroduction,
  refusalIn,
  type ExecuteParams,
  type Introduction,
  type PingParams,
} from './schema.ts';
import { toolsOf } from './manifest.ts';

const traits: DialectTraits = {
  limits: { ...defaultLimits, pingEveryMs: 2000, messageBytes: MESSAGE_BYTES },
  // Official SDKs have one thread.
  concurrency: 1,
  fatalFailures: ['CALL_TIMEOUT', 'ACK_TIMEOUT'],
  keysIn,
};

export const gassist: HostDialect = { name: 'gassist', traits, connect };

async function connect(pipe: Pipe, spec: PluginSpec, services: HostServices): Promise<WirePort> {
  try {
    checkVersion(spec.name, spec.manifest?.['protocol_version'], 'manifest.json');
  } catch (error) {
    pipe.destroy();
    throw error;
  }
  const limits: Required<PluginLimits> = { ...traits.limits, ...spec.limits };
  const framing = lengthPrefix({ receiveLimit: limits.messageBytes, sendLimit: MESSAGE_BYTES });
  const v1 = new V1Watcher();
  const peer = pluginPeer(pipe, framing, spec.name, services, (trouble) => {
    services.trouble(trouble);
    calls.endLost(trouble);
    v1.watch(trouble);
  });
  const calls = new GassistCalls(peer, {
    pluginName: spec.name,
    clock: services.clock,
    ackMs: limits.ackMs,
    keptText: limits.messageBytes,
    log: (entry) => services.log(entry),
    trouble: (trouble) => services.trouble(trouble),
  });
  void peer.ended.then((ending) =>
    calls.failAll(
      new PluglotError(
        'PIPE_ENDED',
        `The pipe to plugin "${spec.name}" is over: ${sentence(describeEnding(ending))}`,
      ),
    ),
  );
  try {
    return hostEnd(peer, calls, await handshake(peer, spec, services.signal, v1), spec.name);
  } catch (error) {
    closePeer(peer);
    throw error;
  } finally {
    v1.stop();
  }
}

function hostEnd(peer: Peer, calls: GassistCalls, manifest: Manifest, name: string): WirePort {
  return {
    manifest,
    call: (request, sink) => calls.execute(executeParams(request), sink),
    ping: (limitMs) => signOfLife(peer, { pluginName: name, method: 'ping' }, timestamp(), limitMs),
    // Always offered: the capabilities of a plugin do not say whether it will keep a session.
    talk: { input: (content, sink) => calls.input({ content, ...timestamp() }, sink) },
    shutdown: async () => sendShutdown(peer),
    close: () => {
      closePeer(peer);
      calls.failAll(
        new PluglotError('PEER_CLOSED', `The connection to plugin "${name}" was closed by this end.`),
      );
    },
    ended: peer.ended,
  };
}

function executeParams({ tool, args, context }: CallRequest): ExecuteParams {
  if (context === undefined) return { function: tool, arguments: args };
  const { conversation, systemInfo } = context;
  return {
    function: tool,
    arguments: args,
    ...defined({ context: conversation, system_info: systemInfo }),
  };
}

function timestamp(): PingParams {
  return { timestamp: Math.floor(Date.now() / 1000) };
}

/** No answer is expected: the plugin exits, and the supervisor ends a process that does not. */
function sendShutdown(peer: Peer): void {
  try {
    peer.notify('shutdown', {});
  } catch {
    // It does not read or is gone: it is ended without a goodbye.
  }
}

/** The first exchange with a fresh plugin. */
async function handshake(
  peer: Peer,
  spec: PluginSpec,
  signal: AbortSignal,
  v1: V1Watcher,
): Promise<Manifest> {
  const request = { pluginName: spec.name, method: 'initialize' };
  const answer = peer.request(request.method, initializeParams, { signal });
  const sawV1 = v1.found.then(() => {
    throw unsupported(spec.name, 'answers in the manner of G-Assist V1, with text that ends in <<END>>');
  });
  const reply = await replyTo(request, Promise.race([answer, sawV1])).catch((error: unknown) => {
    const isSilent = signal.aborted && mayBeV1(spec.manifest);
    throw isSilent
      ? unsupported(spec.name, 'did not answer initialize, and its manifest.json names no "protocol_version"')
      : error;
  });
  if ('error' in reply) throw refusal(request, reply.error, 'START_FAILED');
  const introduction = parseIntroduction(reply.result);
  if (introduction === undefined)
    throw unexpected(request, reply.result, 'an object such as { "name", "version", "capabilities" }');
  checkVersion(spec.name, introduction.protocolVersion, 'answer to initialize');
  const reason = refusalIn(introduction);
  if (reason !== undefined) {
    throw new PluglotError(
      'START_FAILED',
      `Plugin "${spec.name}" refused to start: ${sentence(shortened(reason))}`,
    );
  }
  return manifestOf(introduction, spec);
}

function manifestOf(introduction: Introduction, spec: PluginSpec): Manifest {
  const file = parseIntroduction(spec.manifest);
  const version = introduction.protocolVersion ?? file?.protocolVersion;
  return {
    name: introduction.name ?? file?.name ?? spec.name,
    version: introduction.version ?? file?.version ?? 'unknown',
    dialect: 'gassist',
    ...defined({
      description: introduction.description ?? file?.description,
      protocolVersion: version === undefined ? undefined : textOf(version),
      capabilities: introduction.capabilities,
    }),
    tools: toolsOf(introduction.commands, spec.manifest),
    raw: introduction.raw,
  };
}

const HOW_TO_MIGRATE =
  'Only protocol 2.x is supported. To migrate a V1 plugin: install the SDK (pip install gassist_sdk), move the code onto it, put "protocol_version": "2.0" ' +
  'into manifest.json, and remove its heartbeats, threads and pipes. docs/dialects/gassist.md has the steps.';

function unsupported(pluginName: string, why: string): PluglotError {
  return new PluglotError(
    'UNSUPPORTED_PROTOCOL',
    `Plugin "${pluginName}" ${sentence(why)} ${HOW_TO_MIGRATE}`,
  );
}

/** A missing version may be any. @throws PluglotError UNSUPPORTED_PROTOCOL when it is there and not 2.x */
function checkVersion(pluginName: string, version: Json | undefined, where: string): void {
  if (!isPresent(version) || isVersion2(version)) return;
  throw unsupported(
    pluginName,
    `speaks G-Assist protocol ${shortened(textOf(version), 40)}, says its ${where}`,
  );
}

/** A manifest.json of V1 names no version. Some of V2 do not either, so this decides only where nothing else does. */
function mayBeV1(manifest: JsonObject | undefined): boolean {
  return manifest !== undefined && !isPresent(manifest['protocol_version']);
}

/** Plugins of V1 end their answers, plain text, with this mark. */
const V1_END = '<<END>>';

/** Finds the mark of V1 in what a plugin prints, in whatever pieces it comes. */
class V1Watcher {
  readonly found: Promise<void>;
  #report: () => void = () => {};
  #tail: string | undefined = '';

  constructor() {
    this.found = new Promise((resolve) => (this.#report = resolve));
  }

  watch(trouble: PeerTrouble): void {
    if (this.#tail === undefined || trouble.kind !== 'noise') return;
    const text = this.#tail + trouble.text;
    if (text.includes(V1_END)) this.#report();
    this.#tail = text.slice(1 - V1_END.length);
  }

  stop(): void {
    this.#tail = undefined;
  }
}
