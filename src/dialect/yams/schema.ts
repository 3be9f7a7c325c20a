// The words of YAMS on the wire: methods, what is sent with them, and what answers are read as.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shortened, shown } from '../../base/shown.ts';
import type { Health } from '../../definition/manifest.ts';
import type { ExtractSource, FileType, Support } from '../../definition/extraction.ts';

export const methods = {
  manifest: 'handshake.manifest',
  init: 'plugin.init',
  health: 'plugin.health',
  shutdown: 'plugin.shutdown',
  supports: 'extractor.supports',
  extract: 'extractor.extract',
} as const;

/** Said by the host when it is their time; a caller that said them would confuse both ends. */
export const hostOnlyMethods: ReadonlySet<string> = new Set([
  methods.manifest,
  methods.init,
  methods.shutdown,
]);

export const interfaces = {
  extractor: 'content_extractor_v1',
  entities: 'kg_entity_provider_v1',
  /** Our own: `capabilities.tools` lists what can be called, and the name is a wire name. */
  tools: 'pluglot_tools_v1',
} as const;

/** The real host sends the config bare, the specification and the Python SDK want it wrapped. */
export function initParams(config: JsonObject = {}): JsonObject {
  return { config };
}

/** Both are sent when both are known: there are plugins that need both. */
export function supportsParams({ mimeType, extension }: FileType): JsonObject {
  return {
    ...(mimeType === undefined ? {} : { mime_type: mimeType }),
    ...(extension === undefined ? {} : { extension }),
  };
}

/** The type goes with the options, as the real host has it; an option of the caller's wins. */
export function extractParams(
  source: ExtractSource,
  options: Readonly<Record<string, Json>>,
  type: FileType = {},
): JsonObject {
  const all = { ...supportsParams(type), ...options };
  return {
    source: sourceOf(source),
    ...(Object.keys(all).length === 0 ? {} : { options: all }),
  };
}

function sourceOf(source: ExtractSource): JsonObject {
  if (source.kind === 'path') return { type: 'path', path: source.path };
  const { buffer, byteOffset, byteLength } = source.bytes;
  return { type: 'bytes', data: Buffer.from(buffer, byteOffset, byteLength).toString('base64') };
}

export type InitResult =
  | { readonly ok: true; readonly configApplied?: Json }
  | { readonly ok: false; readonly message: string };

/** Real plugins say "initialized", "ok", something else or nothing; only "error" is a refusal. */
export function readInitResult(result: unknown): InitResult {
  if (!isJsonObject(result)) return { ok: true };
  if (result['status'] === 'error') return { ok: false, message: messageIn(result) ?? shown(result, 200) };
  const applied = result['config_applied'];
  return { ok: true, ...(applied === undefined ? {} : { configApplied: applied }) };
}

export const HEALTH_FORM = '{ status: "ok" | "degraded" | "error" }';

/** Undefined when it says nothing about health. */
export function readHealth(result: unknown): Health | undefined {
  if (!isJsonObject(result)) return undefined;
  const { status } = result;
  if (status !== 'ok' && status !== 'degraded' && status !== 'error') return undefined;
  const message = messageIn(result);
  return { status, ...(message === undefined ? {} : { message }), details: result };
}

export const SUPPORT_FORM = '{ supported: true | false, confidence?: 0 to 1, method?: string }';

/** Undefined when it does not tell whether something is supported. */
export function readSupport(result: unknown): Support | undefined {
  if (!isJsonObject(result)) return undefined;
  const { supported, confidence, method } = result;
  if (typeof supported !== 'boolean') return undefined;
  return {
    supported,
    confidence: typeof confidence === 'number' ? Math.min(1, Math.max(0, confidence)) : 1,
    ...(typeof method === 'string' ? { method } : {}),
  };
}

/** What a result says in words about why it is not a good one. */
export function messageIn(result: JsonObject): string | undefined {
  for (const said of [result['message'], result['error'], result['details'], result['reason']]) {
    if (typeof said === 'string' && said !== '') return shortened(said);
    if (isJsonObject(said) && typeof said['message'] === 'string') return shortened(said['message']);
  }
  return undefined;
}
