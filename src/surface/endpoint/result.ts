// How a call ended, as clients read it.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { isObjectSchema, toolResult } from '../../dialect/mcp/server-tools.ts';
import type { Answer, Outcome } from '../../definition/outcome.ts';
import type { OfferedTool } from './view.ts';

/** Of results that were too large; the handle follows. */
export const RESULT_URI = 'pluglot:result:';

export function resultOf(outcome: Outcome, { tool }: OfferedTool): JsonObject {
  const { durationMs: _, ...answer } = outcome;
  const spilled = spilledIn(answer.data);
  const result = toolResult(answer, tool);
  const content = [
    ...listOf(result['content']),
    ...(spilled === undefined ? [] : linksTo(spilled)),
    ...(answer.keepSession === true ? [goingOn(tool.name)] : []),
  ];
  if (spilled === undefined || !answer.ok || !isObjectSchema(tool.outputSchema))
    return { ...result, content };
  // A client holds the structure against the schema, and what stands in its place does not fit.
  const { structuredContent: __, ...rest } = result;
  const why = 'The result is too large for its structure to be passed on; this is the beginning of it.';
  return { ...rest, content: [{ type: 'text', text: why }, ...content], isError: true };
}

/** What stands where something too large was. */
function spilledIn(data: Answer['data']): JsonObject | undefined {
  const spilled = isJsonObject(data) && Object.keys(data).length === 1 ? data['spilled'] : undefined;
  return isJsonObject(spilled) ? spilled : undefined;
}

function linksTo({ handle, bytes }: JsonObject): JsonObject[] {
  if (typeof handle !== 'string') return [];
  const size = typeof bytes === 'number' ? { size: bytes } : {};
  return [
    {
      type: 'resource_link',
      uri: RESULT_URI + handle,
      name: 'The whole result',
      mimeType: 'text/plain',
      ...size,
    },
  ];
}

function goingOn(tool: string): JsonObject {
  const text = `(The plugin keeps the session and waits for what the user says next, for which MCP has no words. To go on with it: pluglot talk ${tool})`;
  return { type: 'text', text };
}

function listOf(value: Json | undefined): readonly Json[] {
  return isJsonArray(value) ? value : [];
}
