// Requests of a session whose id another one has that is not answered yet: they are taken out and refused, the rest goes on.
import { isJsonObject } from '../../../base/json.ts';
import { eventOf } from './call-answer.ts';

export const UNDER_WAY = { code: -32_600, message: 'Invalid Request: a call of this id is under way.' };

type Id = string | number;

export interface Sifted {
  readonly taken: readonly unknown[];
  /** Of the requests among them. */
  readonly ids: ReadonlySet<Id>;
  /** The ids of those that were taken out. */
  readonly refused: readonly Id[];
}

/** Of one message, or of a batch. */
export function sift(body: unknown, isUnderWay: (id: Id) => boolean): Sifted {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  const ids = new Set<Id>();
  const refused: Id[] = [];
  const taken = messages.filter((message) => {
    const id = idOf(message);
    if (id === undefined) return true;
    if (ids.has(id) || isUnderWay(id)) return void refused.push(id);
    return ids.add(id);
  });
  return { taken, ids, refused };
}

/** By itself, or before what is answered to the rest. */
export function refusedAnswer(
  refused: readonly Id[],
  isBatch: boolean,
  sessionId = '',
  { body, status, headers }: Pick<Response, 'body' | 'status' | 'headers'> = noAnswer,
): Response {
  const answers = refused.map((id) => ({ jsonrpc: '2.0' as const, id, error: UNDER_WAY }));
  if (body === null)
    return Response.json(isBatch ? answers : answers[0], { headers: { 'mcp-session-id': sessionId } });
  const first = new TransformStream<Uint8Array, Uint8Array>({
    start: (stream) => stream.enqueue(new TextEncoder().encode(answers.map(eventOf).join(''))),
  });
  return new Response(body.pipeThrough(first), { status, headers });
}

const noAnswer = { body: null, status: 200, headers: new Headers() };

function idOf(message: unknown): Id | undefined {
  if (!isJsonObject(message) || !('method' in message)) return undefined;
  const { id } = message;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
