// The first exchange with a fresh plugin: `initialize`, and what makes a plugin unfit.
import { PluglotError } from '../../base/error.ts';
import { shortened, textOf } from '../../base/shown.ts';
import { sentence } from '../../base/sentence.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import { refusal, replyTo, unexpected, type Question, type Reply } from '../reply.ts';
import { checkVersion, mayBeV1, unsupported } from './migration.ts';
import { initializeParams, parseIntroduction, wordsIn, type Introduction } from './schema.ts';
import { toolsOf } from './tools.ts';

/** What ends a handshake from outside: the start is given up, or the mark of V1 was seen. */
export interface HandshakeEnds {
  readonly signal: AbortSignal;
  readonly v1: Promise<unknown>;
}

export async function introduce(peer: Peer, spec: PluginSpec, ends: HandshakeEnds): Promise<Manifest> {
  const question = { pluginName: spec.name, method: 'initialize' };
  const reply = await ask(peer, spec, question, ends);
  if ('error' in reply) throw refusal(question, reply.error, 'START_FAILED');
  const introduction = parseIntroduction(reply.result);
  if (introduction === undefined)
    throw unexpected(question, reply.result, 'an object such as { "name", "version", "capabilities" }');
  checkVersion(spec.name, introduction.protocolVersion, 'answer to initialize');
  if (introduction.refusal !== undefined) {
    throw new PluglotError(
      'START_FAILED',
      `Plugin "${spec.name}" refused to start: ${sentence(shortened(introduction.refusal))}`,
    );
  }
  return manifestOf(introduction, spec);
}

async function ask(
  peer: Peer,
  spec: PluginSpec,
  question: Question,
  { signal, v1 }: HandshakeEnds,
): Promise<Reply> {
  const sawV1 = v1.then(() => {
    throw unsupported(spec.name, 'answers in the manner of G-Assist V1, with text that ends in <<END>>');
  });
  const answer = peer.request(question.method, initializeParams, { signal });
  try {
    return await replyTo(question, Promise.race([answer, sawV1]));
  } catch (error) {
    const isSilent = signal.aborted && mayBeV1(spec.manifest);
    throw isSilent
      ? unsupported(spec.name, 'did not answer initialize, and its manifest.json names no "protocol_version"')
      : error;
  }
}

function manifestOf(introduction: Introduction, spec: PluginSpec): Manifest {
  const words = ['name', 'version', 'description', 'protocol_version'] as const;
  const { protocol_version: fromFile, ...file } = wordsIn(spec.manifest ?? {}, words);
  const {
    name,
    version,
    description,
    protocolVersion = fromFile,
    capabilities,
    commands,
    raw,
  } = introduction;
  return {
    name: name ?? file.name ?? spec.name,
    version: version ?? file.version ?? 'unknown',
    ...(file.description !== undefined && { description: file.description }),
    ...(description !== undefined && { description }),
    dialect: 'gassist',
    ...(protocolVersion !== undefined && { protocolVersion: textOf(protocolVersion) }),
    ...(capabilities !== undefined && { capabilities }),
    tools: toolsOf(commands, spec.manifest),
    raw,
  };
}
