// Tools and what they answer, in the words of MCP.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { isShortened, jsonText } from '../../base/shown.ts';
import type { Profile } from '../../definition/backend.ts';
import type { Answer, AnswerContent, CallFailure } from '../../definition/outcome.ts';
import type { JsonSchema, Tool } from '../../definition/tool.ts';
import { withoutReason, withSuggestions } from '../failure.ts';
import { failureMeta } from './failure-meta.ts';
import { hintPart, sessionMeta } from './session-meta.ts';
import { toolMeta } from './tool-meta.ts';

export function wireTools({ tools, autoApprove }: Profile): JsonObject[] {
  const approved = new Set(autoApprove);
  return tools.map((tool) => ({
    ...wireTool(tool),
    ...toolMeta({ ...tool, autoApprove: approved.has(tool.name) }),
  }));
}

export function wireTool({ name, title, description, inputSchema, outputSchema, hints }: Tool): JsonObject {
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    inputSchema: objectSchema(inputSchema),
    ...(isObjectSchema(outputSchema) ? { outputSchema: objectSchema(outputSchema) } : {}),
    ...(hints === undefined
      ? {}
      : {
          annotations: Object.fromEntries(
            Object.entries(hints).map(([hint, value]) => [`${hint}Hint`, value]),
          ),
        }),
  };
}

/** Schemas of MCP say that they are of an object. */
function objectSchema(schema: JsonSchema | undefined): JsonObject {
  return isJsonObject(schema) ? { ...schema, type: 'object' } : { type: 'object' };
}

/** Structured content is an object; an output of another kind goes without a schema. */
export function isObjectSchema(schema: JsonSchema | undefined): boolean {
  return isJsonObject(schema) && (schema['type'] ?? 'object') === 'object';
}

/**
 * A tool that failed has a result too, which the model reads and may learn from.
 * @param say the tool that takes what the user says next; without it nobody is told that a session is kept
 */
export function toolResult(answer: Answer, tool: Tool | undefined, say?: string): JsonObject {
  const { text, data, outputs } = answer;
  const structured = isJsonObject(data) ? data : data === undefined ? outputs : undefined;
  const isKept = answer.keepSession === true && say !== undefined;
  const hint = isKept ? [hintPart(say)] : [];
  const kept = isKept ? sessionMeta() : {};
  if (answer.ok)
    return {
      content: [...textParts(text ?? dataText(answer)), ...partsIn(data), ...hint],
      ...(structured === undefined ? {} : { structuredContent: structured }),
      ...(isKept ? { _meta: kept } : {}),
    };
  const promised = tool !== undefined && isObjectSchema(tool.outputSchema);
  return {
    content: [...failureParts(answer, answer.error), ...hint],
    // A schema tells what successes look like.
    ...(structured === undefined || promised ? {} : { structuredContent: structured }),
    isError: true,
    _meta: { ...failureMeta(answer.error), ...kept },
  };
}

/** What was said before, and why it failed: neither is told twice. */
function failureParts({ text = '' }: AnswerContent, failure: CallFailure): JsonObject[] {
  if (isShortened(failure.message, text)) return textParts(text);
  return [...textParts(withoutReason({ text }, failure).text), ...textParts(withSuggestions(failure))];
}

/** Clients that know nothing of structured content read it in the text. */
function dataText({ data, outputs }: AnswerContent): string | undefined {
  if (data === undefined) return outputs === undefined ? undefined : jsonText(outputs);
  return partsIn(data).length > 0 ? undefined : jsonText(data);
}

function textParts(text: string | undefined): JsonObject[] {
  return text === undefined || text === '' ? [] : [{ type: 'text', text }];
}

const partTypes: readonly (Json | undefined)[] = ['image', 'audio', 'resource', 'resource_link'];

/** Data that came as parts of MCP goes out as such. */
function partsIn(data: Json | undefined): readonly Json[] {
  const isParts =
    isJsonArray(data) && data.every((part) => isJsonObject(part) && partTypes.includes(part['type']));
  return isParts ? data : [];
}
