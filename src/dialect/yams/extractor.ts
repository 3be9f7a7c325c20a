// What a plugin with content_extractor_v1 can be asked for.
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { ExtractorFacet } from '../host-dialect.ts';
import { declaredBy } from '../../definition/declared-type.ts';
import type { FileType, FileTypes, Support } from '../../definition/extraction.ts';
import type { CallFailure } from '../../definition/outcome.ts';
import { refusal, replyTo, unexpected } from '../reply.ts';
import { failureOf } from './answer.ts';
import { CheckedExtraction } from './checked-extraction.ts';
import { METHOD_NOT_FOUND, UNSUPPORTED_FORMAT } from './codes.ts';
import { OpenCall } from './open-call.ts';
import { extractParams, methods, readSupport, SUPPORT_FORM, supportsParams } from './schema.ts';

export function extractorFacet(
  peer: Peer,
  plugin: string,
  declared: NonNullable<Manifest['extractor']>,
): ExtractorFacet {
  /** Types that it has said it takes: it is asked once for each. */
  const taken = new Set<string>();
  return {
    supports: (type, limitMs) => supports(peer, plugin, declared, type, limitMs),
    extract(source, options, sink, type = {}) {
      // A plugin runs in a folder of its own.
      const absolute = source.kind === 'path' ? { ...source, path: path.resolve(source.path) } : source;
      const params = extractParams(absolute, options, type);
      const begin = () => new OpenCall(peer, plugin, methods.extract, params, sink);
      const name = [type.mimeType, type.extension].filter((part) => part !== undefined).join(', ');
      if (name === '' || taken.has(name)) return begin();
      const check = async () => {
        // The limit of the call holds for the question too.
        const { supported } = await supports(peer, plugin, declared, type);
        if (!supported) return untaken(plugin, name, declared);
        taken.add(name);
        return undefined;
      };
      return new CheckedExtraction(check(), begin, sink);
    },
  };
}

function untaken(plugin: string, type: string, { formats, extensions }: FileTypes): CallFailure {
  const taken = [...formats, ...extensions];
  return {
    code: 'UNSUPPORTED',
    message: `Plugin "${plugin}" does not take files of the type ${type}.${taken.length === 0 ? '' : ` It takes: ${taken.join(', ')}.`}`,
    recoverable: false,
    data: { supported_formats: taken },
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
      `Plugin "${plugin}" can be asked about a MIME type, an extension, or both; neither was given.`,
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
    throw refusal(question, reply.error, failureOf(reply.error).code);
  }
  const support = readSupport(reply.result);
  if (support === undefined) throw unexpected(question, reply.result, SUPPORT_FORM);
  return support;
}
