// A call of a tool on its straight way: from the request to the desk and back, past the official package, which would look at each of them
// for longer than all else takes.
import {
  isCallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type JSONRPCMessage,
} from '@modelcontextprotocol/server';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import type { Trace } from '../../../base/trace.ts';
import type { Notice } from '../../../dialect/notices.ts';
import type { ClientRound } from '../client-call.ts';
import { clientOf, type Client } from '../client.ts';
import { askThrough, logTo, type ClientRequest } from '../client-request.ts';
import { wireError } from '../params.ts';
import type { Connected } from '../serving-room.ts';
import type { CallAnswer } from './call-answer.ts';

export interface StraightCall {
  readonly id: string | number;
  readonly params: JsonObject;
  readonly progressToken: string | number | undefined;
  readonly trace: Trace | undefined;
}

/** Never rejects. */
export async function answerStraight(
  { server, connection, desk }: Connected,
  call: StraightCall,
  answer: CallAnswer,
): Promise<JSONRPCMessage> {
  const { id, params } = call;
  try {
    const request = new StraightRequest(
      clientOf(server),
      call,
      answer,
      askThrough(server, id),
      connection.hears,
    );
    const result = await connection.answer(() => desk.callTool(params, request));
    // The desk makes results of MCP.
    return { jsonrpc: '2.0', id, result: checked(result) as Record<string, unknown> };
  } catch (thrown) {
    const { code, message, data } = wireError(thrown);
    return { jsonrpc: '2.0', id, error: data === undefined ? { code, message } : { code, message, data } };
  }
}

class StraightRequest implements ClientRequest, ClientRound {
  readonly client: Client;
  readonly state = undefined;
  readonly trace: Trace | undefined;
  readonly progressToken: string | number | undefined;
  readonly answers: JsonObject = {};
  readonly ask: NonNullable<ClientRound['ask']>;
  readonly log: ClientRound['log'];
  readonly #answer: CallAnswer;

  constructor(
    client: Client,
    { trace, progressToken }: StraightCall,
    answer: CallAnswer,
    ask: NonNullable<ClientRound['ask']>,
    hears: Connected['connection']['hears'],
  ) {
    this.client = client;
    this.trace = trace;
    this.progressToken = progressToken;
    this.ask = ask;
    this.log = logTo((notice) => this.notify(notice), hears);
    this.#answer = answer;
  }

  get round(): ClientRound {
    return this;
  }

  whenGivenUp(listener: () => void): () => void {
    return this.#answer.whenGivenUp(listener);
  }

  notify({ method, params }: Notice): Promise<void> | undefined {
    return this.#answer.tell({ jsonrpc: '2.0', method, params: params as Record<string, unknown> }); // our own
  }
}

/** Texts are ours; parts of other kinds may come from a plugin as they are. */
function checked(result: Json): Json {
  const content = isJsonObject(result) ? result['content'] : undefined;
  const isOurs =
    isJsonArray(content) && content.every((part) => isJsonObject(part) && part['type'] === 'text');
  if (isOurs || isCallToolResult(result)) return result;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'Invalid tools/call result: a part of it is nothing that MCP knows.',
  );
}
