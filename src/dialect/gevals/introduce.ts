// The first exchange with an extension: who it is and what it can do, or why it cannot be used.
import { PluglotError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { sentence } from '../../base/sentence.ts';
import type { Exchange } from '../../channel/peer/exchange.ts';
import type { RpcError } from '../../channel/message/rpc-error.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import { refusal, replyTo, type Question } from '../reply.ts';
import { LINE_LIMIT } from './line-limit.ts';
import { PROTOCOL_VERSION, readManifest } from './schema.ts';
import type { ExtensionManifest, InitializeParams, Tell } from './schema.ts';

export interface Introduction {
  readonly manifest: Manifest;
  /** Anything that answers `initialize` with an object could have said so. */
  readonly isAssumed: boolean;
}

/** @throws PluglotError, in words that name the plugin */
export async function introduce(
  peer: Peer,
  spec: PluginSpec,
  signal: AbortSignal,
  tell: Tell,
): Promise<Introduction> {
  const question = { pluginName: spec.name, method: 'initialize' };
  const reply = await replyTo(question, initialize(peer, spec, signal));
  if ('error' in reply) throw refused(question, reply.error);
  const manifest = readManifest(reply.result, tell);
  if ('problem' in manifest) {
    throw new PluglotError(
      'PROTOCOL_VIOLATION',
      `Plugin "${spec.name}" answered initialize with a manifest that cannot be used: ${sentence(manifest.problem)}`,
    );
  }
  // What was read as an object came out of JSON.
  return { manifest: neutral(manifest, spec.name, reply.result as Json), isAssumed: manifest.isBare };
}

async function initialize(peer: Peer, spec: PluginSpec, signal: AbortSignal): Promise<unknown> {
  const params: InitializeParams = {
    protocolVersion: PROTOCOL_VERSION,
    ...(spec.config === undefined ? {} : { config: spec.config }),
  };
  return sent(() => peer.open('initialize', params, { signal }), spec).result;
}

function sent(send: () => Exchange, { name }: PluginSpec): Exchange {
  try {
    return send();
  } catch (cause) {
    if (!(cause instanceof PluglotError && cause.code === 'FRAME_TOO_LARGE')) throw cause;
    throw new PluglotError(
      'START_FAILED',
      `The config of plugin "${name}" is too large: an extension of gevals reads lines of up to ${LINE_LIMIT} bytes. ` +
        `Put what is large into a file, and its path into the config.`,
      { cause },
    );
  }
}

function refused(question: Question, error: RpcError): PluglotError {
  const isVersion = error.code === -32602 && /protocol.{0,3}version/i.test(error.message);
  if (isVersion)
    return refusal(
      question,
      error,
      'UNSUPPORTED_PROTOCOL',
      `This host speaks version ${PROTOCOL_VERSION} of gevals.`,
    );
  return refusal(
    question,
    error,
    'START_FAILED',
    error.code === -32601 ? 'It may speak another dialect.' : '',
  );
}

function neutral(manifest: ExtensionManifest, pluginName: string, raw: Json): Manifest {
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
    ...(description === undefined ? {} : { description }),
    ...(protocolVersion === undefined ? {} : { protocolVersion }),
    ...(requires.length === 0 ? {} : { requires }),
    tools: operations.map((operation) => ({
      name: operation.name,
      ...(operation.description === undefined ? {} : { description: operation.description }),
      ...(operation.params === undefined ? {} : { inputSchema: operation.params }),
      ...(operation.ours['facet'] === 'talk' ? { facet: 'talk' } : {}),
    })),
    raw,
  };
}
