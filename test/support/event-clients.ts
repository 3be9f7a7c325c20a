// Clients who follow events, each over what carries them, seen alike.
import type http from 'node:http';
import { onTestFinished } from 'vitest';
import { WebSocket, type ClientOptions, type RawData } from 'ws';
import { answeredOf, credentials, open, type Answered, type Asked } from './http-client.ts';

interface Heard {
  readonly name: string;
  readonly data: unknown;
  readonly id?: number;
}

export interface EventClient {
  /** All that came so far. */
  readonly heard: readonly Heard[];
  /** The next of this name, or one that came already and was not asked for. */
  next(name: string): Promise<Heard>;
  pause(): void;
  resume(): void;
  leave(): void;
  readonly closed: Promise<void>;
}

export type EventsAsked = Pick<Asked, 'headers' | 'token' | 'socketPath'> & {
  /** @default '' */
  readonly query?: string;
};

/** @throws Refused */
export type EventTransport = (url: string, asked?: EventsAsked) => Promise<EventClient>;

/** What was answered instead of events. */
export class Refused extends Error {
  readonly answer: Answered;

  constructor(answer: Answered) {
    super(`${answer.status} ${answer.text}`);
    this.answer = answer;
  }
}

export const overSse: EventTransport = async (url, { query = '', headers, ...asked } = {}) => {
  const response = await open(url, `/api/v1/events${query}`, {
    ...asked,
    headers: { accept: 'text/event-stream', ...headers },
  });
  if (response.statusCode !== 200) throw new Refused(await answeredOf(response));
  const hearing = listener((hear) => {
    let text = '';
    response.setEncoding('utf8').on('data', (piece: string) => {
      const blocks = `${text}${piece}`.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, id, name = '', data = ''] =
          /^(?:id: (\d+)\n)?event: (\w\S*)\ndata: ([^\n]*)$/.exec(block) ?? [];
        if (block !== ':')
          hear({ name, data: JSON.parse(data) as unknown, ...(id !== undefined && { id: Number(id) }) });
      }
    });
  });
  response.on('error', () => {});
  const closed = new Promise<void>((resolve) => response.once('close', () => resolve()));
  const leave = () => void response.destroy();
  onTestFinished(leave);
  return {
    ...hearing,
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    leave,
    closed,
  };
};

export const overWebSocket: EventTransport = async (url, asked = {}) => {
  const { webSocket, hearing, closed } = await openSocket(url, asked);
  return {
    ...hearing,
    pause: () => webSocket.pause(),
    resume: () => webSocket.resume(),
    leave: () => webSocket.terminate(),
    closed: closed.then(() => {}),
  };
};

export interface SocketAsked extends EventsAsked {
  readonly path?: string;
  readonly protocols?: readonly string[];
  readonly options?: ClientOptions;
}

export interface OpenSocket {
  readonly webSocket: WebSocket;
  readonly hearing: Pick<EventClient, 'heard' | 'next'>;
  /** What the server answered with. */
  readonly headers: http.IncomingHttpHeaders;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

/** @throws Refused */
export function openSocket(url: string, asked: SocketAsked = {}): Promise<OpenSocket> {
  const { query = '', path = '/api/v1/events', token, headers, socketPath, protocols = [], options } = asked;
  const { host } = new URL(url);
  const address = socketPath === undefined ? `ws://${host}` : `ws+unix:${socketPath}:`;
  const webSocket = new WebSocket(`${address}${path}${query}`, [...protocols], {
    headers: { ...credentials(token), ...headers },
    ...options,
  });
  onTestFinished(() => webSocket.terminate());
  const hearing = listener((hear) => {
    webSocket.on('message', (data: RawData, isBinary) => {
      if (isBinary) throw new Error('A frame is not text.');
      // Those of this client are buffers.
      const { event, ...rest } = JSON.parse((data as Buffer).toString()) as Omit<Heard, 'name'> & {
        event: string;
      };
      hear({ name: event, ...rest });
    });
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    webSocket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  return new Promise((resolve, reject) => {
    let headers: http.IncomingHttpHeaders = {};
    webSocket.once('upgrade', (response) => (headers = response.headers));
    webSocket.once('open', () => resolve({ webSocket, hearing, headers, closed }));
    webSocket.once('unexpected-response', (_, response) => {
      void answeredOf(response).then((answer) => reject(new Refused(answer)), reject);
    });
    webSocket.on('error', reject);
  });
}

function listener(begin: (hear: (event: Heard) => void) => void): Pick<EventClient, 'heard' | 'next'> {
  const heard: Heard[] = [];
  const left: Heard[] = [];
  const waiting: { readonly name: string; readonly resolve: (event: Heard) => void }[] = [];
  begin((event) => {
    heard.push(event);
    const at = waiting.findIndex(({ name }) => name === event.name);
    if (at === -1) left.push(event);
    else waiting.splice(at, 1)[0]?.resolve(event);
  });
  return {
    heard,
    next(name) {
      const at = left.findIndex((event) => event.name === name);
      const [event] = at === -1 ? [] : left.splice(at, 1);
      return event === undefined
        ? new Promise((resolve) => waiting.push({ name, resolve }))
        : Promise.resolve(event);
    },
  };
}
