// How the document says what can be asked.
import type { JsonObject } from '../../../base/json.ts';
import type { Needs } from '../access.ts';
import { ref, text, whole, yesNo } from './schema.ts';

export interface OperationOptions {
  readonly id: string;
  readonly summary: string;
  readonly tag: 'plugins' | 'calls' | 'talks' | 'approvals' | 'observation' | 'access' | 'host';
  readonly description?: string;
  /** By name, in the query. */
  readonly query?: Readonly<Record<string, JsonObject>>;
  readonly body?: JsonObject;
  /** What it answers with; undefined: nothing, 204. */
  readonly answer?: JsonObject;
  readonly status?: number;
  /** Its data is a stream too: names and forms of the events. */
  readonly events?: Readonly<Record<string, JsonObject>>;
  /** There is no other form. */
  readonly isStreamOnly?: boolean;
  /** Its events come over a WebSocket, too. */
  readonly isSocket?: boolean;
  /** The answer is no JSON. */
  readonly type?: string;
  /** @default what reading needs, and for other methods what calls need */
  readonly needs?: Needs | 'nothing';
}

export function operation(method: string, path: string, options: OperationOptions): JsonObject {
  const { id, summary, tag, description, query = {}, body, isSocket = false } = options;
  const { needs = method === 'GET' ? 'api-read' : 'api' } = options;
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(description !== undefined && { description }),
    security: [
      ...(needs === 'nothing' ? [{}] : []),
      ...(needs === 'user' ? [] : [{ token: [] }]),
      { cookie: [] },
      ...(isSocket ? [{ protocol: [] }] : []),
    ],
    'x-needs': needs,
    parameters: [
      ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
        name,
        in: 'path',
        required: true,
        schema: text,
      })),
      ...Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema })),
    ],
    ...(body !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: body } } },
    }),
    responses: {
      ...(isSocket && { '101': socketAnswer }),
      [String(options.answer === undefined && options.events === undefined ? 204 : (options.status ?? 200))]:
        answerOf(options),
      default: {
        description: 'What is wrong, with a stable code.',
        content: { 'application/problem+json': { schema: ref('Problem') } },
      },
    },
  };
}

const socketAnswer: JsonObject = {
  description: 'To upgrade: websocket. The same events over a WebSocket, each as one text frame of JSON.',
  headers: {
    'sec-websocket-protocol': { description: 'Where it was offered.', schema: { const: 'pluglot.v1' } },
  },
  'x-frame': ref('EventFrame'),
};

function answerOf({
  answer,
  events,
  isStreamOnly = false,
  type = 'application/json',
}: OperationOptions): JsonObject {
  if (answer === undefined && events === undefined) return { description: 'Done.' };
  const stream = events && {
    'text/event-stream': {
      schema: text,
      'x-events': Object.fromEntries(Object.entries(events).map(([name, data]) => [name, { data }])),
    },
  };
  return {
    description: 'As asked for.',
    ...(events?.['outcome'] !== undefined && {
      headers: { 'x-pluglot-call': { description: 'The id of the call, to cancel it by.', schema: text } },
    }),
    content: { ...(!isStreamOnly && answer !== undefined && { [type]: { schema: answer } }), ...stream },
  };
}

export const flag: JsonObject = { ...yesNo, description: '1 or true for yes.' };
export const since: JsonObject = { ...whole, description: 'Milliseconds since 1970.' };
