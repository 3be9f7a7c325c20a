// Requests to the HTTP API of a host, over a port or a socket, on Node's own client.
import http, { type IncomingMessage } from 'node:http';
import type https from 'node:https';
import { builtins } from '../../base/builtins.ts';
import { systemClock } from '../../base/clock.ts';
import { type ErrorCode, errorCodes, PluglotError, toError } from '../../base/error.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { type ServerEvent, sseParser } from '../../base/sse.ts';
import { sentence } from '../../base/text.ts';
import { mismatch } from '../api-form.ts';
import type { Schema } from '../api-schema.ts';
import { type EndpointId, endpointOf, type ResultOf } from '../endpoint.ts';

export interface RequestOptions {
  readonly body?: unknown;
  readonly accept?: 'application/json' | 'text/event-stream';
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The largest answer that is not a stream. */
const ANSWER_MAX = 256 * 1024 * 1024;

export class Requests {
  readonly #target: http.RequestOptions;
  readonly #client: typeof http | typeof https;
  readonly #agent: http.Agent;
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #answerMs: number;
  /** The host has answered something. */
  #isAlive = false;
  /** For people. */
  readonly place: string;

  /** `answerMs`: how long the host may take for its first answer. @throws PluglotError CONFIG_INVALID when it is not an address */
  constructor(address: string, token?: string, answerMs = 10_000) {
    this.#answerMs = answerMs;
    const { target, base, place, isSecure } = readAddress(address);
    this.#client = isSecure ? builtins.https : http;
    this.#agent = new this.#client.Agent({ keepAlive: true, maxSockets: Infinity });
    this.#base = base;
    this.place = place;
    this.#target = target;
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  /** The head of a successful answer. @throws PluglotError the problem of the host, or that it is not reached */
  async open(method: string, path: string, options: RequestOptions = {}): Promise<IncomingMessage> {
    const response = await this.#send(method, path, options);
    if ((response.statusCode ?? 500) < 400) return response;
    throw problemIn(await textOf(response, 1024 * 1024).catch(() => ''), response.statusCode ?? 500);
  }

  /** An answer as a whole; null where it has no body. @throws PluglotError INVALID_RESPONSE when it has not the form of the API */
  async ask<Id extends EndpointId>(
    id: Id,
    path: string,
    options: RequestOptions = {},
  ): Promise<ResultOf<Id>> {
    const { method, result } = endpointOf(id);
    const text = await this.text(method, path, options);
    const answer = text === '' ? null : parsed(text);
    checkAnswer(result, answer, this.place);
    return answer as unknown as ResultOf<Id>; // just checked
  }

  async text(method: string, path: string, options: RequestOptions = {}): Promise<string> {
    return textOf(await this.open(method, path, options), ANSWER_MAX);
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(method: string, path: string, options: RequestOptions): Promise<IncomingMessage> {
    const { body, accept = 'application/json', signal, headers } = options;
    const text = body === undefined ? undefined : JSON.stringify(body);
    return new Promise<IncomingMessage>((resolve, reject) => {
      const request = this.#client.request({
        ...this.#target,
        method,
        path: this.#base + path,
        agent: this.#agent,
        headers: {
          ...this.#headers,
          ...headers,
          accept,
          ...(text !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(text),
          }),
        },
      });
      let isAnswered = false;
      let isSilent = false;
      // An answer may take long by itself; whether the host answers at all shows a question that takes no time.
      const endWatch = this.#isAlive
        ? undefined
        : systemClock.after(this.#answerMs / 2, () => {
            void this.#probe().then((isAlive) => {
              if (isAlive || isAnswered) return;
              isSilent = true;
              request.destroy(new Error('no answer'));
            });
          });
      request.once('close', () => endWatch?.());
      // By hand: Node's own way destroys the socket with an error, which ends the process once the answer is complete.
      const giveUp = () => void request.destroy();
      signal?.addEventListener('abort', giveUp, { once: true });
      request.once('close', () => signal?.removeEventListener('abort', giveUp));
      if (signal?.aborted === true) giveUp();
      request.once('response', (response) => {
        isAnswered = true;
        this.#isAlive = true;
        endWatch?.();
        // The reader gets the error; without a reader it does not matter.
        response.on('error', () => {});
        resolve(response);
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        if (isAnswered) return;
        // The host hung up on a connection that rested, just as it was used again: it has not seen the question.
        const isStale = request.reusedSocket && error.code === 'ECONNRESET' && method === 'GET';
        if (isSilent) reject(this.#silent());
        else if (signal?.aborted === true) reject(error);
        else if (isStale) resolve(this.#send(method, path, options));
        else reject(this.#notReached(error));
      });
      request.end(text);
    });
  }

  /** Whether the host answers a small request in time. */
  #probe(): Promise<boolean> {
    if (this.#isAlive) return Promise.resolve(true);
    return new Promise((resolve) => {
      const request = this.#client.request({
        ...this.#target,
        path: `${this.#base}/api/v1/health`,
        headers: this.#headers,
      });
      const endWatch = systemClock.after(this.#answerMs / 2, () => {
        request.destroy();
        resolve(this.#isAlive);
      });
      request.once('response', (response) => {
        endWatch();
        this.#isAlive = true;
        response.resume();
        resolve(true);
      });
      // The waiting request fails by itself.
      request.on('error', () => {
        endWatch();
        resolve(true);
      });
      request.end();
    });
  }

  #silent(): PluglotError {
    return new PluglotError(
      'CALL_TIMEOUT',
      `The host at ${this.place} did not answer within ${this.#answerMs} ms. It may be suspended or busy: wake it, end it, or use --standalone.`,
    );
  }

  #notReached(error: Error): PluglotError {
    return new PluglotError(
      'UNAVAILABLE',
      `The host at ${this.place} does not answer: ${error.message || toError(error).name}. Is \`pluglot up\` running there?`,
      { cause: error },
    );
  }
}

/** What comes on a stream, until it ends. @throws PluglotError PIPE_ENDED when it breaks */
export async function* eventsOf(response: IncomingMessage): AsyncGenerator<ServerEvent, void, undefined> {
  const parse = sseParser();
  response.setEncoding('utf8');
  try {
    // With an encoding, pieces are texts.
    for await (const piece of response as AsyncIterable<string>)
      for (const event of parse(piece)) if (event.data !== '') yield event;
  } catch (thrown) {
    if (thrown instanceof PluglotError) throw thrown;
    throw new PluglotError(
      'PIPE_ENDED',
      `The host has ended meanwhile, or the connection to it broke: ${sentence(toError(thrown).message)}`,
      {
        cause: thrown,
      },
    );
  } finally {
    response.destroy();
  }
}

export function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json; // what JSON.parse gives is JSON
  } catch (thrown) {
    throw new PluglotError('INVALID_RESPONSE', 'The answer of the host is not JSON.', {
      cause: thrown,
    });
  }
}

async function textOf(response: IncomingMessage, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit)
        throw new PluglotError('FRAME_TOO_LARGE', `The host answered with more than ${limit} bytes.`);
      chunks.push(chunk);
    }
  } catch (thrown) {
    if (thrown instanceof PluglotError) throw thrown;
    throw new PluglotError(
      'PIPE_ENDED',
      `The host has ended meanwhile, or the connection to it broke: ${sentence(toError(thrown).message)}`,
      {
        cause: thrown,
      },
    );
  }
  return Buffer.concat(chunks, size).toString();
}

function problemIn(text: string, status: number): PluglotError {
  try {
    const problem: unknown = JSON.parse(text);
    const { code, detail, stderr } = isJsonObject(problem) ? problem : {};
    if (isErrorCode(code) && typeof detail === 'string')
      return new PluglotError(code, detail, typeof stderr === 'string' ? { stderr } : {});
  } catch {
    // It is not a host of ours.
  }
  return new PluglotError(
    'INVALID_RESPONSE',
    `The server there is not a pluglot host: it answers ${status}.`,
  );
}

function isErrorCode(code: Json | undefined): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorCodes, code);
}

interface Address {
  readonly target: http.RequestOptions;
  readonly base: string;
  readonly place: string;
  readonly isSecure: boolean;
}

/** `http://host:port`, or `unix:/path/of/the.sock`. */
function readAddress(address: string): Address {
  if (address.startsWith('unix:')) {
    const socketPath = address.slice('unix:'.length).replace(/^\/\/(?=\/)/, '');
    return { target: { socketPath, host: 'localhost' }, base: '', place: socketPath, isSecure: false };
  }
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw noAddress(address);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw noAddress(address);
  if (url.searchParams.has('token'))
    throw new PluglotError(
      'CONFIG_INVALID',
      'A token in an address is seen by too many. Give the address and the token apart.',
    );
  return {
    target: { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: url.port },
    base: url.pathname.replace(/\/+$/, ''),
    place: url.origin,
    isSecure: url.protocol === 'https:',
  };
}

function noAddress(address: string): PluglotError {
  const shown = address.split('?', 1)[0]?.slice(0, 100);
  return new PluglotError(
    'CONFIG_INVALID',
    `"${shown}" is not the address of a host. Expected one such as http://127.0.0.1:7411 or unix:/path/of/the.sock.`,
  );
}

/** @throws PluglotError INVALID_RESPONSE when it has another form */
export function checkAnswer(schema: Schema<unknown> | undefined, answer: Json, place: string): void {
  const wrong = schema && mismatch(schema, answer, 'lenient');
  if (wrong === undefined) return;
  const where = wrong.at === '' ? 'its answer' : `"${wrong.at}" in its answer`;
  throw new PluglotError(
    'INVALID_RESPONSE',
    `What answers at ${place} is not a host of pluglot, or one of another version: ${where} has an unexpected form. End it, start \`pluglot up\` again, or use --standalone.`,
  );
}

export function hasForm(schema: Schema<unknown> | undefined, value: Json): boolean {
  return schema === undefined || mismatch(schema, value, 'lenient') === undefined;
}
