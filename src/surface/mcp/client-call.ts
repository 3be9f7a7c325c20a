// One call of a client, over as many requests as it takes: since 2026 a question of ours is the answer to one, and the next brings what
// was asked for. Clients of before are asked while their request waits.
import { type Deferred, deferred, late, within } from '../../base/async.ts';
import type { Clock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { printable } from '../../base/printable.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import { type Call, followCall } from '../../definition/call.ts';
import type { Asker, PluginQuestion } from '../../definition/caller.ts';
import type { Answer, Outcome } from '../../definition/outcome.ts';
import { isContentPart, isObjectSchema, toolResult } from '../../dialect/mcp/server-tools.ts';
import { EventBuffer, type Round } from './event-buffer.ts';
import type { OfferedTool } from './view.ts';

export interface ClientRound extends Round {
  /** Calls when the client does not wait for it any more, at once where that is so already; the returned function ends that. */
  whenGivenUp(listener: () => void): () => void;
  /** Asks at once; undefined where a question has to be the answer. */
  readonly ask?: ((method: string, params: JsonObject, signal: AbortSignal) => Promise<Json>) | undefined;
  /** What came for the questions of the round before. */
  readonly answers: JsonObject;
}

export interface ClientCallParts {
  readonly clock: Clock;
  readonly plugin: string;
  readonly answerMs: number;
  /** Why this client cannot be asked that; undefined: it can. */
  unable(question: PluginQuestion): string | undefined;
  begin(call: Pick<ClientCall, 'ask' | 'askUser'>): Call;
}

/** How a round ends: with the end of the call, or with what is asked. */
export type RoundEnd =
  | { readonly kind: 'ended'; readonly outcome: Outcome }
  | { readonly kind: 'asked'; readonly requests: JsonObject };

interface Open {
  readonly request: JsonObject;
  readonly answer: Deferred<Json>;
}

const methods: Readonly<Record<PluginQuestion['kind'], string>> = {
  sample: 'sampling/createMessage',
  elicit: 'elicitation/create',
  roots: 'roots/list',
};

const GONE = 'The client disconnected or cancelled the call.';

export class ClientCall implements Asker {
  readonly #parts: ClientCallParts;
  readonly #call: Call;
  readonly #events: EventBuffer;
  /** When it is over, whether or not the client waits for it. */
  readonly ended: Promise<Outcome>;
  readonly #open = new Map<string, Open>();
  #asked = deferred<void>();
  #round: ClientRound | undefined;
  #count = 0;

  constructor(parts: ClientCallParts) {
    this.#parts = parts;
    this.#events = new EventBuffer(parts.plugin, parts.clock);
    this.#call = parts.begin(this);
    this.ended = followCall(this.#call, (event) => this.#events.event(event));
  }

  get id(): string {
    return this.#call.id;
  }

  cancel(reason = GONE): void {
    this.#call.cancel(reason);
  }

  /** Until it ends, or something has to be asked first. */
  async next(round: ClientRound): Promise<RoundEnd> {
    const unfollow = round.whenGivenUp(() => this.cancel());
    this.#round = round;
    this.#events.to(round);
    this.#take(round.answers);
    try {
      const outcome = await Promise.race([this.ended, this.#asked.promise]);
      await this.#events.end();
      if (outcome !== undefined) return { kind: 'ended', outcome };
      return { kind: 'asked', requests: this.#requests() };
    } finally {
      // What ends the request that carried a question is not the end of the call.
      unfollow();
      this.#round = undefined;
      this.#events.to(undefined);
    }
  }

  /** For the plugin: a form says whose it is, so that none looks like a question of the host. @throws PluglotError UNSUPPORTED or TIMEOUT */
  async ask({ kind, params }: PluginQuestion, signal: AbortSignal): Promise<Json> {
    return this.#ask(kind === 'elicit' ? { kind, params: this.#named(params) } : { kind, params }, signal);
  }

  /** For the host itself. @throws PluglotError UNSUPPORTED or TIMEOUT */
  askUser(params: JsonObject, signal: AbortSignal): Promise<Json> {
    return this.#ask({ kind: 'elicit', params }, signal);
  }

  /** @throws PluglotError UNSUPPORTED where the form cannot be shown safely */
  #named(params: JsonObject): JsonObject {
    const { message, requestedSchema } = params;
    const text = typeof message === 'string' ? printable(message) : '';
    const shown = { ...params, message: `Plugin "${this.#parts.plugin}" asks: ${text}` };
    return requestedSchema === undefined
      ? shown
      : { ...shown, requestedSchema: printableSchema(requestedSchema) };
  }

  async #ask(question: PluginQuestion, signal: AbortSignal): Promise<Json> {
    const why = this.#parts.unable(question);
    if (why !== undefined) throw new PluglotError('UNSUPPORTED', why);
    const method = methods[question.kind];
    const answer =
      this.#round?.ask?.(method, question.params, signal) ?? this.#later(method, question.params, signal);
    const { answerMs, clock } = this.#parts;
    const given = await within(answer, answerMs, clock);
    if (given === late) throw new PluglotError('TIMEOUT', `The client gave no answer within ${answerMs} ms.`);
    return given;
  }

  async #later(method: string, params: JsonObject, signal: AbortSignal): Promise<Json> {
    const name = `question-${(this.#count += 1)}`;
    const answer = deferred<Json>();
    const withdraw = () =>
      answer.reject(new PluglotError('CALL_CANCELLED', 'The plugin no longer waits for the answer.'));
    signal.addEventListener('abort', withdraw, { once: true });
    if (signal.aborted) withdraw();
    this.#open.set(name, { request: { method, params }, answer });
    this.#asked.resolve();
    try {
      return await answer.promise;
    } finally {
      signal.removeEventListener('abort', withdraw);
      this.#open.delete(name);
    }
  }

  /** What is not answered is asked again. */
  #take(answers: JsonObject): void {
    for (const [name, answer] of Object.entries(answers))
      if (isJsonObject(answer)) {
        this.#open.get(name)?.answer.resolve(answer);
        this.#open.delete(name);
      }
    this.#asked = deferred();
    if (this.#open.size > 0) this.#asked.resolve();
  }

  #requests(): JsonObject {
    return Object.fromEntries([...this.#open].map(([name, { request }]) => [name, request]));
  }
}

/** What a form shows beside its values. */
const labels: ReadonlySet<string> = new Set(['title', 'description', 'enumNames']);

/** Labels are made printable. Values go back to the plugin as they are, so a form whose values could steer a terminal is refused. */
function printableSchema(schema: Json, name = ''): Json {
  if (isJsonArray(schema)) return schema.map((item) => printableSchema(item, name));
  if (isJsonObject(schema))
    return Object.fromEntries(
      Object.entries(schema).map(([key, value]) => [printableValue(key), printableSchema(value, key)]),
    );
  if (typeof schema !== 'string') return schema;
  return labels.has(name) ? printable(schema) : printableValue(schema);
}

/** @throws PluglotError UNSUPPORTED */
function printableValue(text: string): string {
  const shown = printable(text);
  if (shown === text) return text;
  throw new PluglotError('UNSUPPORTED', `The form has control characters in a value: ${shown}`);
}

/** Of results that were too large; the handle follows. */
export const RESULT_URI = 'pluglot:result:';

/** @throws RpcError when a plugin gave a part that MCP does not have */
export function resultOf(outcome: Outcome, { tool }: OfferedTool): JsonObject {
  const { durationMs: _, ...answer } = outcome;
  const spilled = spilledIn(answer.data);
  const result = toolResult(answer, tool);
  const content = [
    ...listOf(result['content']),
    ...(spilled === undefined ? [] : linksTo(spilled)),
    ...(answer.keepSession === true ? [sessionNote(tool.name)] : []),
  ];
  if (!content.every(isContentPart))
    throw new RpcError(
      standardErrors.invalidParams.code,
      'Invalid tools/call result: a part of it is not one that MCP has.',
    );
  if (spilled === undefined || !answer.ok || !isObjectSchema(tool.outputSchema))
    return { ...result, content };
  // A client holds the structure against the schema, and what stands in its place does not fit.
  const { structuredContent: __, ...rest } = result;
  const why = 'The result is too large for its structure to be passed on; this is the beginning of it.';
  return { ...rest, content: [{ type: 'text', text: why }, ...content], isError: true };
}

/** The reference that replaces data that was too large. */
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

function sessionNote(tool: string): JsonObject {
  const text = `(The plugin keeps the session open for the next message of the user, which MCP cannot send. To continue: pluglot talk ${tool})`;
  return { type: 'text', text };
}

function listOf(value: Json | undefined): readonly Json[] {
  return isJsonArray(value) ? value : [];
}
