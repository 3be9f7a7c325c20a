// The host's end of YAMS external plugins.
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { defined, isJsonObject, type JsonObject } from '../../base/json.ts';
import { DEFAULT_FRAME_LIMIT } from '../../base/units.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import { lines } from '../../channel/frame/lines.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import { declaredBy } from '../../definition/definition.ts';
import type { Health, Manifest } from '../../definition/manifest.ts';
import type { CallFailure, CallRequest, CallSink } from '../../definition/outcome.ts';
import type { FileType, FileTypes, Support } from '../../definition/plan.ts';
import type { ExtractorPort, RunningCall } from '../../definition/plugin-port.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import { refusedCall, unanswered } from '../failure.ts';
import { closePeer, pluginPeer, refusal, replyTo, signOfLife, unexpected } from '../host-base.ts';
import {
  defaultLimits,
  type DialectTraits,
  type HostDialect,
  type HostServices,
  type WirePort,
} from '../host-dialect.ts';
import { talkBy } from '../talk-tool.ts';
import { SentCall } from '../wire-call.ts';
import { callFailureOf, METHOD_NOT_FOUND, UNSUPPORTED_FORMAT } from './codes.ts';
import { readManifest } from './manifest.ts';
import { answerOf } from './results.ts';
import {
  extractParams,
  HEALTH_FORM,
  hostOnlyMethods,
  initParams,
  type InitResult,
  methods,
  readHealth,
  readInitResult,
  readSupport,
  SUPPORT_FORM,
  supportsParams,
} from './schema.ts';

const traits: DialectTraits = {
  limits: { ...defaultLimits, pingEveryMs: 10_000, pingMs: 3000 },
  concurrency: 1,
  unlistedTools: true,
  takesConfig: true,
};

/** Starts once the plugin has said that it supports the file. */
class CheckedExtraction implements RunningCall {
  #begun: RunningCall | undefined;
  #isOver = false;
  #isGivenUp = false;

  /** @param checked why the file is not supported; undefined when it is */
  constructor(checked: Promise<CallFailure | undefined>, begin: () => RunningCall, sink: CallSink) {
    const end = (error: CallFailure) => {
      this.#isOver = true;
      sink.end({ ok: false, error });
    };
    checked.then(
      (refusal) => {
        if (refusal !== undefined) end(refusal);
        // This tells the dispatcher that the plugin is free.
        else if (this.#isGivenUp) end({ code: 'CALL_CANCELLED', message: 'The caller gave the call up.' });
        else this.#begun = begin();
      },
      (thrown: unknown) => end(unanswered(thrown)),
    );
  }

  cancel(reason: string): 'free' | 'occupied' {
    this.#isGivenUp = true;
    if (this.#isOver) return 'free';
    return this.#begun?.cancel(reason) ?? 'occupied';
  }
}

export const yams: HostDialect = { name: 'yams', traits, connect };

async function connect(pipe: Pipe, spec: PluginSpec, services: HostServices): Promise<WirePort> {
  const messageBytes = spec.limits?.messageBytes ?? traits.limits.messageBytes;
  const framing = lines({
    receiveLimit: messageBytes,
    sendLimit: Math.max(messageBytes, DEFAULT_FRAME_LIMIT),
  });
  const peer = pluginPeer(pipe, framing, spec.name, services);
  try {
    const sent = await handshake(peer, spec, services.signal);
    const { configApplied } = await initialize(peer, spec, services.signal);
    return hostEnd(peer, spec.name, readManifest(sent, spec, configApplied));
  } catch (error) {
    closePeer(peer);
    throw error;
  }
}

/** The manifest that the plugin sends. One whose manifest is on disk need not send any. */
async function handshake(peer: Peer, spec: PluginSpec, signal: AbortSignal): Promise<JsonObject> {
  const question = { pluginName: spec.name, method: methods.manifest };
  const reply = await replyTo(question, peer.request(methods.manifest, undefined, { signal }));
  if ('error' in reply) {
    if (reply.error.code === METHOD_NOT_FOUND && spec.manifest !== undefined) return {};
    const fix = 'A YAMS plugin answers it with its manifest; does this one speak another dialect?';
    throw refusal(question, reply.error, 'PROTOCOL_VIOLATION', fix);
  }
  if (isJsonObject(reply.result)) return reply.result;
  if (spec.manifest !== undefined) return {};
  throw unexpected(question, reply.result, '{ name, version, interfaces, … }');
}

/** A plugin need not know plugin.init when there is nothing to configure. */
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
    const { code, suggestions = [] } = callFailureOf(reply.error);
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

function hostEnd(peer: Peer, plugin: string, manifest: Manifest): WirePort {
  const call: WirePort['call'] = (request, sink) => {
    const { tool, args } = request;
    if (hostOnlyMethods.has(tool)) {
      const message = `Only the host of plugin "${plugin}" sends ${tool}; it cannot be called as a tool.`;
      return refusedCall({ code: 'UNKNOWN_TOOL', message }, sink);
    }
    return sendCall(peer, plugin, tool, tool === methods.extract ? withSource(request) : args, sink);
  };
  return {
    manifest,
    call,
    ...talkBy(manifest.tools, call),
    // Any answer proves that it is alive, even that there is no such method.
    ping: (limitMs) => signOfLife(peer, { pluginName: plugin, method: methods.health }, undefined, limitMs),
    health: (limitMs) => health(peer, plugin, limitMs),
    ...(manifest.extractor !== undefined && {
      extractor: extractorFacet(peer, plugin, manifest.extractor),
    }),
    shutdown: (limitMs) => shutdown(peer, limitMs),
    close: () => closePeer(peer),
    ended: peer.ended,
  };
}

/** A source that is a text is a path; plugins run in a folder of their own, so it is made absolute. */
function withSource({ args, context }: CallRequest): JsonObject {
  const { source } = args;
  if (typeof source !== 'string') return args;
  return { ...args, source: { type: 'path', path: path.resolve(context?.workdir ?? '', source) } };
}

async function health(peer: Peer, plugin: string, limitMs: number): Promise<Health> {
  const question = { pluginName: plugin, method: methods.health };
  const reply = await replyTo(question, peer.request(methods.health, undefined, { timeoutMs: limitMs }));
  if ('error' in reply) {
    if (reply.error.code === METHOD_NOT_FOUND)
      return { status: 'ok', message: 'The process is running; the plugin has no plugin.health.' };
    const { message, data } = callFailureOf(reply.error);
    return defined({ status: 'error', message, details: data });
  }
  const read = readHealth(reply.result);
  if (read === undefined) throw unexpected(question, reply.result, HEALTH_FORM);
  return read;
}

/** After any answer, an exit or the limit the process may be ended. */
async function shutdown(peer: Peer, limitMs: number): Promise<void> {
  try {
    await peer.request(methods.shutdown, undefined, { timeoutMs: limitMs });
  } catch {
    // The plugin refused, did not answer in time, or has ended.
  }
}

function extractorFacet(
  peer: Peer,
  plugin: string,
  declared: NonNullable<Manifest['extractor']>,
): ExtractorPort {
  /** Types that the plugin supports: it is asked once for each. */
  const supported = new Set<string>();
  return {
    supports: (type, limitMs) => supports(peer, plugin, declared, type, limitMs),
    extract({ source, type = {}, options = {} }, sink) {
      // A plugin runs in a folder of its own.
      const absolute = source.kind === 'path' ? { ...source, path: path.resolve(source.path) } : source;
      const params = extractParams(absolute, options, type);
      const begin = () => sendCall(peer, plugin, methods.extract, params, sink);
      const name = [type.mimeType, type.extension].filter((part) => part !== undefined).join(', ');
      if (name === '' || supported.has(name)) return begin();
      const check = async () => {
        // The limit of the call covers this request too.
        const support = await supports(peer, plugin, declared, type);
        if (!support.supported) return unsupported(plugin, name, declared);
        supported.add(name);
        return undefined;
      };
      return new CheckedExtraction(check(), begin, sink);
    },
  };
}

function unsupported(plugin: string, type: string, { formats, extensions }: FileTypes): CallFailure {
  const all = [...formats, ...extensions];
  return {
    code: 'UNSUPPORTED',
    message: `Plugin "${plugin}" does not support files of the type ${type}.${all.length === 0 ? '' : ` It supports: ${all.join(', ')}.`}`,
    recoverable: false,
    data: { supported_formats: all },
  };
}

async function supports(
  peer: Peer,
  plugin: string,
  declared: NonNullable<Manifest['extractor']>,
  type: FileType,
  limitMs?: number,
): Promise<Support> {
  if (type.mimeType === undefined && type.extension === undefined) {
    throw new PluglotError(
      'INVALID_ARGUMENTS',
      `Plugin "${plugin}" needs a MIME type, an extension, or both; neither was given.`,
    );
  }
  const question = { pluginName: plugin, method: methods.supports };
  const limit = limitMs === undefined ? {} : { timeoutMs: limitMs };
  const answer = peer.request(methods.supports, supportsParams(type), limit);
  const reply = await replyTo(question, answer);
  if ('error' in reply) {
    const { code } = reply.error;
    if (code === METHOD_NOT_FOUND)
      return { supported: declaredBy(declared, type) !== undefined, confidence: 1 };
    if (code === UNSUPPORTED_FORMAT) return { supported: false, confidence: 1 };
    throw refusal(question, reply.error, callFailureOf(reply.error).code);
  }
  const support = readSupport(reply.result);
  if (support === undefined) throw unexpected(question, reply.result, SUPPORT_FORM);
  return support;
}

/** YAMS has no cancellation: the plugin works on, and its late answer shows when it is free. */
function sendCall(peer: Peer, plugin: string, method: string, params: unknown, sink: CallSink): RunningCall {
  const call = new SentCall(sink);
  call.send(
    () => peer.open(method, params),
    (response) => call.end(answerOf(plugin, method, response)),
  );
  return call;
}
