// What a host asks of an author end: its params, unknown in and typed out.
import path from 'node:path';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import type { ExtractSource, FileType } from '../../definition/extraction.ts';
import { readBase64 } from './base64.ts';
import { INVALID_PARAMS } from './codes.ts';
import { methods } from './schema.ts';

/** @throws RpcError -32602 when they are a list */
export function readArguments(method: string, params: unknown): JsonObject {
  if (params === undefined) return {};
  if (isJsonObject(params)) return params;
  throw invalid(method, params, 'params as an object, each by its name');
}

/**
 * The config is wrapped, as the specification has it, or the params are the config, as the real host has it. Which of them it is shows
 * where `config` stands alone and is an object.
 * @throws RpcError -32602
 */
export function readInitParams(params: unknown): JsonObject {
  const bare = readArguments(methods.init, params);
  const { config, ...more } = bare;
  const isWrapped = Object.keys(more).length === 0 && (isJsonObject(config) || config === null);
  return isWrapped ? (config ?? {}) : bare;
}

/** @throws RpcError -32602 when neither the type nor the extension is told */
export function readSupportsParams(params: unknown): FileType {
  const type = fileTypeIn(readArguments(methods.supports, params));
  if (type.mimeType !== undefined || type.extension !== undefined) return type;
  throw invalid(methods.supports, params, '"mime_type", "extension", or both');
}

export interface ExtractRequest {
  readonly source: ExtractSource;
  /** As it was told with the options, else by the name of the file. */
  readonly type: FileType;
  /** Without what they tell of the type, and with what the specification has for those that are left out. */
  readonly options: JsonObject;
}

/** To whoever extracts, an option that is left out is this one. */
const extractDefaults: JsonObject = {
  max_functions: 100,
  decompile: true,
  include_metadata: true,
  timeout_sec: 10,
};

/** @throws RpcError -32602 */
export function readExtractParams(params: unknown): ExtractRequest {
  const { source, options } = readArguments(methods.extract, params);
  if (!(options === undefined || options === null || isJsonObject(options))) {
    throw invalid(methods.extract, options, '"options" as an object');
  }
  const read = sourceOf(source);
  const { mime_type: _type, extension: _extension, ...more } = options ?? {};
  const given = Object.entries(more).filter(
    ([name, value]) => value !== null || !Object.hasOwn(extractDefaults, name),
  );
  return {
    source: read,
    type: typeOf(options ?? {}, read),
    options: { ...extractDefaults, ...Object.fromEntries(given) },
  };
}

function sourceOf(source: unknown): ExtractSource {
  const { type, path: file, data } = isJsonObject(source) ? source : {};
  if (type === 'path' && typeof file === 'string' && file !== '') return { kind: 'path', path: file };
  if (type !== 'bytes' || typeof data !== 'string') {
    const form = '"source" as { type: "path", path } or { type: "bytes", data }';
    throw invalid(methods.extract, source, form);
  }
  const bytes = readBase64(data);
  if (bytes === undefined) throw invalid(methods.extract, data, '"data" of the source as base64');
  return { kind: 'bytes', bytes };
}

function typeOf(options: JsonObject, source: ExtractSource): FileType {
  const told = fileTypeIn(options);
  if (told.mimeType !== undefined || told.extension !== undefined || source.kind !== 'path') return told;
  const extension = path.extname(source.path);
  return extension === '' ? {} : { extension };
}

function fileTypeIn({ mime_type: mimeType, extension }: JsonObject): FileType {
  return {
    ...(typeof mimeType === 'string' && mimeType !== '' ? { mimeType } : {}),
    ...(typeof extension === 'string' && extension !== ''
      ? { extension: extension.startsWith('.') ? extension : `.${extension}` }
      : {}),
  };
}

function invalid(method: string, got: unknown, expected: string): RpcError {
  const message = `Invalid params: ${method} takes ${expected}; got ${shown(got)}.`;
  return new RpcError(INVALID_PARAMS, message, { reason: 'InvalidParams', method });
}
