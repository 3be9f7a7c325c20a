// What can be asked of a YAMS extractor when nothing is known of it but its manifest.
import { isJsonArray, isJsonObject, textsIn, type Json, type JsonObject } from '../../base/json.ts';
import { interfaces } from '../../dialect/yams/schema.ts';

/** By its interfaces, or by its capabilities where it has named none. */
export function isExtractor(manifest: unknown): boolean {
  const named = isJsonObject(manifest) ? manifest['interfaces'] : undefined;
  if (!isJsonArray(named)) return capabilityOf(manifest, 'content_extraction') !== undefined;
  return named.some((each) => (isJsonObject(each) ? each['id'] : each) === interfaces.extractor);
}

/** The first type of file that it says it takes. */
export function declaredType(manifest: unknown): JsonObject {
  const types = capabilityOf(manifest, 'content_extraction');
  const { formats, extensions } = isJsonObject(types) ? types : {};
  const [mimeType] = textsIn(formats);
  const [extension] = textsIn(extensions);
  return {
    ...(mimeType === undefined ? {} : { mime_type: mimeType }),
    ...(extension === undefined ? {} : { extension }),
  };
}

export const SAMPLE = '# A short text\n\nNothing else.\n';

/** A short text as bytes, as the real host sends files. What is no text by its type may be refused for it. */
export function extractParams(manifest: unknown): JsonObject {
  const data = Buffer.from(SAMPLE).toString('base64');
  return { source: { type: 'bytes', data }, options: declaredType(manifest) };
}

export function capabilityOf(manifest: unknown, name: string): Json | undefined {
  const capabilities = isJsonObject(manifest) ? manifest['capabilities'] : undefined;
  return isJsonObject(capabilities) ? capabilities[name] : undefined;
}
