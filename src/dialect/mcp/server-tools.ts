// Tools and what they answer, in the words of MCP.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { isShortened, jsonText } from '../../base/text.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { Answer, AnswerContent, CallEvent, CallFailure } from '../../definition/outcome.ts';
import type { JsonSchema, Tool } from '../../definition/tool.ts';
import { withoutReason, withSuggestions } from '../failure.ts';
import type { DroppingSender } from '../sender.ts';
import {
  failureMeta,
  hintPart,
  notifications,
  progressMeta,
  sessionMeta,
  textMeta,
  toolMeta,
} from './schema.ts';

export function wireTools({ tools }: Pick<Manifest, 'tools'>): JsonObject[] {
  return tools.map((tool) => ({ ...wireTool(tool), ...toolMeta(tool) }));
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
 * @param say the tool that takes what the user says next; without it a kept session is not shown
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
    // A schema describes successes alone.
    ...(structured === undefined || promised ? {} : { structuredContent: structured }),
    isError: true,
    _meta: { ...failureMeta(answer.error), ...kept },
  };
}

/** The text before the failure, and the reason: neither is repeated. */
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

/** Whether a part of a result is one that MCP has: plugins may pass parts on as they are. */
export function isContentPart(part: Json): boolean {
  if (!isJsonObject(part)) return false;
  const { text, data, mimeType, uri, name, resource } = part;
  switch (part['type']) {
    case 'text':
      return typeof text === 'string';
    case 'image':
    case 'audio':
      return typeof data === 'string' && typeof mimeType === 'string';
    case 'resource_link':
      return typeof uri === 'string' && typeof name === 'string';
    case 'resource':
      return (
        isJsonObject(resource) &&
        typeof resource['uri'] === 'string' &&
        (typeof resource['text'] === 'string' || typeof resource['blob'] === 'string')
      );
    default:
      return false;
  }
}

const partTypes: readonly (Json | undefined)[] = ['image', 'audio', 'resource', 'resource_link'];

/** Data that came as parts of MCP goes out as such. */
function partsIn(data: Json | undefined): readonly Json[] {
  const isParts =
    isJsonArray(data) && data.every((part) => isJsonObject(part) && partTypes.includes(part['type']));
  return isParts ? data : [];
}

/** So little that no bar moves by it. */
const TINY = 1e-6;

/**
 * Progress has to rise with every notification. A piece of text counts as one step, unless the author counts as well; then
 * neither that nor a progress that does not rise moves it by more than a trifle, and what they say is still sent. How far it is in all
 * stays with every piece of text, so that a bar keeps its end.
 */
export class CallProgress {
  readonly #token: string | number;
  readonly #notices: Pick<DroppingSender, 'send'>;
  #last = 0;
  #total: number | undefined;
  #isCounted = false;

  constructor(token: string | number, notices: Pick<DroppingSender, 'send'>) {
    this.#token = token;
    this.#notices = notices;
  }

  event(event: Exclude<CallEvent, { kind: 'log' }>): void {
    if (event.kind === 'text') {
      const step = this.#isCounted ? TINY : 1;
      return this.#report(this.#last + step, this.#total, event.text, textMeta());
    }
    const { progress, total, message } = event;
    this.#isCounted = true;
    this.#total = total ?? this.#total;
    const risen = Math.max(progress, this.#last + TINY);
    this.#report(risen, total, message, risen === progress ? {} : progressMeta(progress));
  }

  #report(progress: number, total: number | undefined, message: string | undefined, meta: JsonObject): void {
    this.#last = progress;
    const params = {
      progressToken: this.#token,
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
      ...meta,
    };
    this.#notices.send({ method: notifications.progress, params });
  }
}
