// The methods of YAMS, their params in both directions, and the results that the host reads itself.
import path from 'node:path';
import { defined, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shortened, shown } from '../../base/text.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import type { ExtractSource, FileType, Support } from '../../definition/plan.ts';
import type { Health } from '../../definition/manifest.ts';
import { fromWire, shape, toWire } from '../shape.ts';

export const methods = {
  manifest: 'handshake.manifest',
  init: 'plugin.init',
  health: 'plugin.health',
  shutdown: 'plugin.shutdown',
  supports: 'extractor.supports',
  extract: 'extractor.extract',
} as const;

/** Sent by the host alone: a caller that sent them would confuse both ends. */
export const hostOnlyMethods: ReadonlySet<string> = new Set([
  methods.manifest,
  methods.init,
  methods.shutdown,
]);

export const interfaces = {
  extractor: 'content_extractor_v1',
  entities: 'kg_entity_provider_v1',
  /** Our own: `capabilities.tools` lists the tools, and the name of the plugin is a wire name. */
  tools: 'pluglot_tools_v1',
} as const;

/** @throws RpcError -32602 when they are not an object */
export function readArguments(method: string, params: unknown): JsonObject {
  if (params === undefined) return {};
  if (isJsonObject(params)) return params;
  throw invalidParams(method, params, 'params as an object with named members');
}

/** The real host sends the config bare, the specification and the Python SDK expect it wrapped. */
export function initParams(config: JsonObject = {}): JsonObject {
  return { config };
}

/**
 * The config is wrapped where `config` is an object and the only member; otherwise the params are the config.
 * @throws RpcError -32602
 */
export function readInitParams(params: unknown): JsonObject {
  const bare = readArguments(methods.init, params);
  const { config, ...more } = bare;
  const isWrapped = Object.keys(more).length === 0 && (isJsonObject(config) || config === null);
  return isWrapped ? (config ?? {}) : bare;
}

const fileType = shape<FileType>({
  mimeType: { wire: 'mime_type', type: 'name' },
  extension: {
    type: {
      read: (extension) =>
        typeof extension === 'string' && extension !== '' ? withDot(extension) : undefined,
      expected: 'a file extension',
    },
  },
});

export function withDot(extension: string): string {
  return extension.startsWith('.') ? extension : `.${extension}`;
}

/** Both are sent when both are known: some plugins need both. */
export function supportsParams(type: FileType): JsonObject {
  return toWire(fileType, type);
}

/** @throws RpcError -32602 when neither the type nor the extension is given */
export function readSupportsParams(params: unknown): FileType {
  const type = fileTypeIn(readArguments(methods.supports, params));
  if (type.mimeType !== undefined || type.extension !== undefined) return type;
  throw invalidParams(methods.supports, params, '"mime_type", "extension", or both');
}

/** The type goes with the options, as in the real host; an option of the caller wins. */
export function extractParams(
  source: ExtractSource,
  options: Readonly<Record<string, Json>>,
  type: FileType = {},
): JsonObject {
  const all = { ...supportsParams(type), ...options };
  return { source: writeSource(source), ...(Object.keys(all).length > 0 && { options: all }) };
}

export interface ExtractRequest {
  readonly source: ExtractSource;
  /** From the options, else by the name of the file. */
  readonly type: FileType;
  /** Without the type, and with the defaults of the specification. */
  readonly options: JsonObject;
}

const extractDefaults: JsonObject = {
  max_functions: 100,
  decompile: true,
  include_metadata: true,
  timeout_sec: 10,
};

/** @throws RpcError -32602 */
export function readExtractParams(params: unknown): ExtractRequest {
  const { source: given, options } = readArguments(methods.extract, params);
  if (!(options === undefined || options === null || isJsonObject(options))) {
    throw invalidParams(methods.extract, options, '"options" as an object');
  }
  const source = readSource(given);
  const { mime_type: _type, extension: _extension, ...more } = options ?? {};
  const set = Object.entries(more).filter(
    ([name, value]) => value !== null || !Object.hasOwn(extractDefaults, name),
  );
  const type = fileTypeIn(options ?? {});
  const isTyped = type.mimeType !== undefined || type.extension !== undefined;
  const extension = source.kind === 'path' ? path.extname(source.path) || undefined : undefined;
  return {
    source,
    type: isTyped ? type : defined({ extension }),
    options: { ...extractDefaults, ...Object.fromEntries(set) },
  };
}

function fileTypeIn(options: JsonObject): FileType {
  const read = fromWire(fileType, options, 'options', 'lenient');
  return 'value' in read ? read.value : {};
}

function writeSource(source: ExtractSource): JsonObject {
  if (source.kind === 'path') return { type: 'path', path: source.path };
  const { buffer, byteOffset, byteLength } = source.bytes;
  return { type: 'bytes', data: Buffer.from(buffer, byteOffset, byteLength).toString('base64') };
}

function readSource(source: unknown): ExtractSource {
  const { type, path: file, data } = isJsonObject(source) ? source : {};
  if (type === 'path' && typeof file === 'string' && file !== '') return { kind: 'path', path: file };
  if (type !== 'bytes' || typeof data !== 'string') {
    const form = '"source" as { type: "path", path } or { type: "bytes", data }';
    throw invalidParams(methods.extract, source, form);
  }
  const bytes = readBase64(data);
  if (bytes === undefined) throw invalidParams(methods.extract, data, '"data" of the source as base64');
  return { kind: 'bytes', bytes };
}

/**
 * Undefined when it is not base64; Node's decoder skips unknown characters, so that broken data would pass as other data. Line breaks,
 * missing padding and the alphabet for URLs are accepted.
 */
export function readBase64(text: string): Uint8Array | undefined {
  if (/[^A-Za-z0-9+/=_\s-]/.test(text)) return undefined;
  const digits = /\s/.test(text) ? text.replace(/\s+/g, '') : text;
  const end = digits.indexOf('=');
  const length = end === -1 ? digits.length : end;
  const padding = digits.length - length;
  // A digit is six bits: a single one is not a byte.
  if (length % 4 === 1 || padding > 2) return undefined;
  if (padding > 0 && (digits.length % 4 !== 0 || !digits.endsWith('='.repeat(padding)))) return undefined;
  return Buffer.from(digits, 'base64');
}

function invalidParams(method: string, got: unknown, expected: string): RpcError {
  const message = `Invalid params: ${method} takes ${expected}; got ${shown(got)}.`;
  return new RpcError(standardErrors.invalidParams.code, message, { reason: 'InvalidParams', method });
}

export type InitResult =
  | { readonly ok: true; readonly configApplied?: Json }
  | { readonly ok: false; readonly message: string };

/** Real plugins answer "initialized", "ok", something else or nothing; only "error" is a refusal. */
export function readInitResult(result: unknown): InitResult {
  if (!isJsonObject(result)) return { ok: true };
  if (result['status'] === 'error') return { ok: false, message: messageIn(result) ?? shown(result, 200) };
  return defined({ ok: true, configApplied: result['config_applied'] });
}

export const HEALTH_FORM = '{ status: "ok" | "degraded" | "error" }';

/** Undefined when it has no status. */
export function readHealth(result: unknown): Health | undefined {
  if (!isJsonObject(result)) return undefined;
  const { status } = result;
  if (status !== 'ok' && status !== 'degraded' && status !== 'error') return undefined;
  return defined({ status, message: messageIn(result), details: result });
}

export const SUPPORT_FORM = '{ supported: true | false, confidence?: 0 to 1, method?: string }';

const support = shape<Support>({
  supported: { type: 'flag', required: true },
  confidence: {
    type: {
      read: (value) => (typeof value === 'number' ? Math.min(1, Math.max(0, value)) : undefined),
      expected: 'a number from 0 to 1',
    },
    default: 1,
  },
  method: 'name',
});

/** Undefined when it does not say whether the type is supported. */
export function readSupport(result: unknown): Support | undefined {
  const read = fromWire(support, result, 'the result', 'lenient');
  return 'value' in read ? read.value : undefined;
}

/** The reason that a result gives for a failure. */
export function messageIn(result: JsonObject): string | undefined {
  for (const reason of [result['message'], result['error'], result['details'], result['reason']]) {
    if (typeof reason === 'string' && reason !== '') return shortened(reason);
    if (isJsonObject(reason) && typeof reason['message'] === 'string') return shortened(reason['message']);
  }
  return undefined;
}
