// What was extracted, in both shapes at once: that of the specification, and that which the real host and real plugins have.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { textOf } from '../../base/shown.ts';
import type { AnswerContent } from '../../definition/outcome.ts';

export function toExtractionResult({ text = '', data }: AnswerContent, tookMs: number): JsonObject {
  const { metadata, stats, ...more } = partsOf(data);
  return {
    ...more,
    success: true,
    content: text,
    text,
    metadata: textsOf(metadata),
    stats: { extraction_time_ms: Math.round(tookMs), ...(isJsonObject(stats) ? stats : {}) },
    error: null,
  };
}

function partsOf(data: Json | undefined): JsonObject {
  if (data === undefined) return {};
  return isJsonObject(data) ? data : { data };
}

/** Metadata is of texts, as in the example of the specification; numbers have their place in the stats. */
function textsOf(metadata: Json | undefined): JsonObject {
  if (!isJsonObject(metadata)) return {};
  return Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, textOf(value)]));
}
