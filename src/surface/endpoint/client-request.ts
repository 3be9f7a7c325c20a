// One request of a client that a call is made for, whatever way it came: who asks, and the way back to them until it is answered.
import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { isJsonObject, type Json } from '../../base/json.ts';
import { traceOf, type Trace } from '../../base/trace.ts';
import type { ClientRound } from './client-call.ts';
import { clientOf, type Client } from './client.ts';
import type { Connection } from './connection.ts';

export interface ClientRequest {
  readonly client: Client;
  /** Given back by a client that comes back with what was asked; undefined where it begins something. */
  readonly state: string | undefined;
  readonly trace: Trace | undefined;
  readonly round: ClientRound;
}

/** One that the official package has read. */
export function officialRequest(
  server: Server,
  { isModern, hears }: Pick<Connection, 'isModern' | 'hears'>,
  context: ServerContext,
): ClientRequest {
  const { mcpReq, http } = context;
  const state: unknown = mcpReq.requestState();
  const answers: unknown = mcpReq.inputResponses;
  // The second fires when the connection that waits for the answer is gone.
  const signals = [mcpReq.signal, ...(http?.req === undefined ? [] : [http.req.signal])];
  const notify: ClientRound['notify'] = ({ method, params }) =>
    mcpReq.notify({ method, params: params as Record<string, unknown> }); // our own
  return {
    client: clientOf(server, mcpReq.envelope),
    state: typeof state === 'string' ? state : undefined,
    trace: traceIn(context),
    round: {
      whenGivenUp: (listener) => whenAborted(signals, listener),
      progressToken: mcpReq._meta?.progressToken,
      notify,
      log: isModern ? (level, data, logger) => mcpReq.log(level, data, logger) : logTo(notify, hears),
      answers: isJsonObject(answers) ? answers : {},
      ...(isModern
        ? {}
        : {
            ask: async (method, params, signal) =>
              (await mcpReq.send({ method, params: { ...params } }, anything, {
                signal,
                timeout: LONGEST_MS,
              })) as Json, // it came as JSON
          }),
    },
  };
}

/** Asks the client while its request waits. */
export function askThrough(
  server: Server,
  relatedRequestId: string | number,
): NonNullable<ClientRound['ask']> {
  return async (method, params, signal) => {
    const options = { signal, relatedRequestId, timeout: LONGEST_MS };
    return (await server.request({ method, params: { ...params } }, anything, options)) as Json; // it came as JSON
  };
}

/** What the client has not said that it does not want to hear. */
export function logTo(notify: ClientRound['notify'], hears: Connection['hears']): ClientRound['log'] {
  return (level, data, logger) =>
    hears(level) ? notify({ method: 'notifications/message', params: { level, data, logger } }) : undefined;
}

function whenAborted(signals: readonly AbortSignal[], listener: () => void): () => void {
  for (const signal of signals) signal.addEventListener('abort', listener, { once: true });
  if (signals.some(({ aborted }) => aborted)) listener();
  return () => {
    for (const signal of signals) signal.removeEventListener('abort', listener);
  };
}

/** As the client says it of this call, else of the request that carries it. */
function traceIn({ mcpReq, http }: ServerContext): Trace | undefined {
  const meta: unknown = mcpReq._meta;
  const ofCall = isJsonObject(meta) ? traceOf(meta['traceparent'], meta['tracestate']) : undefined;
  if (ofCall !== undefined || http?.req === undefined) return ofCall;
  const { headers } = http.req;
  return traceOf(headers.get('traceparent'), headers.get('tracestate'));
}

/** Our own limits end it. Node's timers take no more. */
const LONGEST_MS = 0x7fffffff;

/** What others answer is passed on as it is. */
const anything = {
  '~standard': { version: 1, vendor: 'pluglot', validate: (value: unknown) => ({ value }) },
} as const;
