// Requests to the HTTP API of a host, over a port or a socket, on Node's own client.
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { errorCodes, PluglotError, toError, type ErrorCode } from '../../base/error.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { sentence } from '../../base/sentence.ts';
import { sseParser, type ServerEvent } from './sse-parser.ts';

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
  /** For people. */
  readonly place: string;

  /** @throws PluglotError CONFIG_INVALID when it is no address */
  constructor(address: string, token?: string) {
    const { target, base, place, isSecure } = readAddress(address);
    this.#client = isSecure ? https : http;
    this.#agent = new this.#client.Agent({ keepAlive: true, maxSockets: Infinity });
    this.#base = base;
    this.place = place;
    this.#target = target;
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  /** The head of an answer that is none of a problem. @throws PluglotError what the host says, or that it is not reached */
  async open(method: string, path: string, options: RequestOptions = {}): Promise<IncomingMessage> {
    const response = await this.#send(method, path, options);
    if ((response.statusCode ?? 500) < 400) return response;
    throw problemIn(await textOf(response, 1024 * 1024).catch(() => ''), response.statusCode ?? 500);
  }

  /** An answer as a whole; null where it has no body. */
  async ask<Answer>(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const text = await this.text(method, path, options);
    // The host is of our own kind, so that the form of its answers is known.
    return (text === '' ? null : parsed(text)) as Answer;
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
      // By hand: Node's own way destroys the socket with an error, which nobody hears once the answer is complete, and the process ends.
      const giveUp = () => void request.destroy();
      signal?.addEventListener('abort', giveUp, { once: true });
      request.once('close', () => signal?.removeEventListener('abort', giveUp));
      if (signal?.aborted === true) giveUp();
      request.once('response', (response) => {
        isAnswered = true;
        // Whoever reads it hears of it; where nobody does any more, nobody has to.
        response.on('error', () => {});
        resolve(response);
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        if (isAnswered) return;
        // The host hung up on a connection that rested, just as it was used again: it has not seen the question.
        const isStale = request.reusedSocket && error.code === 'ECONNRESET' && method === 'GET';
        if (signal?.aborted === true) reject(error);
        else if (isStale) resolve(this.#send(method, path, options));
        else reject(this.#notReached(error));
      });
      request.end(text);
    });
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
    for await (const piece of response as AsyncIterable<string>) yield* parse(piece);
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
    throw new PluglotError('INVALID_RESPONSE', 'The host answered with something that is no JSON.', {
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
    // Somebody else answers there.
  }
  return new PluglotError('INVALID_RESPONSE', `What answers there is no host of pluglot: it says ${status}.`);
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
    `"${shown}" is no address of a host. Expected one such as http://127.0.0.1:7411 or unix:/path/of/the.sock.`,
  );
}
