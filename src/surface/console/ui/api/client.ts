// The host's HTTP API, from its own page: the cookie goes along by itself, and nothing here can read it.
import { eventParser } from './sse.ts';

/** What the host answered instead of what was asked for, in its words. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** 0: the host was not reached. */
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export interface StreamRequest {
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
  readonly signal: AbortSignal;
  readonly onOpen?: (response: Response) => void;
  readonly onEvent: (name: string, data: unknown) => void;
}

export interface Api {
  get<Answer>(path: string, signal?: AbortSignal): Promise<Answer>;
  send<Answer>(method: 'POST' | 'DELETE', path: string, body?: unknown): Promise<Answer>;
  /** Hands in the code of a one-time link for a cookie. @throws ApiError 401 where it was used before, or has expired */
  enter(code: string): Promise<void>;
  /** Resolves when the host has ended it. */
  stream(path: string, request: StreamRequest): Promise<void>;
}

export function createApi(fetch: typeof globalThis.fetch, onRefused: () => void): Api {
  const ask = async (method: string, path: string, accept: string, body?: unknown, signal?: AbortSignal) => {
    const response = await reached(
      fetch(`/api/v1${path}`, {
        method,
        headers: { accept, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
        credentials: 'same-origin',
        cache: 'no-store',
      }),
    );
    if (response.ok) return response;
    if (response.status === 401) onRefused();
    throw await problemOf(response);
  };
  return {
    async get<Answer>(path: string, signal?: AbortSignal) {
      const response = await ask('GET', path, 'application/json', undefined, signal);
      // The page and the host that serves it are of one version.
      return (await response.json()) as Answer;
    },
    async send<Answer>(method: 'POST' | 'DELETE', path: string, body?: unknown) {
      const response = await ask(method, path, 'application/json', body);
      const text = await response.text();
      // As above; some answers have no body, and nobody asks for one there.
      return (text === '' ? undefined : JSON.parse(text)) as Answer;
    },
    async enter(code) {
      const body = JSON.stringify({ code });
      const headers = { accept: 'application/json', 'content-type': 'application/json' };
      const response = await reached(
        fetch('/', { method: 'POST', headers, body, credentials: 'same-origin' }),
      );
      if (!response.ok) throw await problemOf(response);
    },
    async stream(path, { method = 'GET', body, signal, onOpen, onEvent }) {
      const response = await ask(method, path, 'text/event-stream', body, signal);
      onOpen?.(response);
      const feed = eventParser(({ name, data }) => onEvent(name, JSON.parse(data)));
      const decoder = new TextDecoder();
      const reader = response.body?.getReader();
      for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read())
        feed(decoder.decode(piece.value, { stream: true }));
    },
  };
}

async function reached(answer: Promise<Response>): Promise<Response> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, 'NOT_REACHED', 'The host does not answer. Is `pluglot up` still running?');
  }
}

async function problemOf(response: Response): Promise<ApiError> {
  const fallback = `The host answered with ${response.status}.`;
  try {
    const problem = (await response.json()) as { code?: unknown; detail?: unknown; title?: unknown };
    const { code, detail, title } = problem;
    const words = typeof detail === 'string' ? detail : typeof title === 'string' ? title : fallback;
    return new ApiError(response.status, typeof code === 'string' ? code : 'UNKNOWN', words);
  } catch {
    return new ApiError(response.status, 'UNKNOWN', fallback);
  }
}

/** A name of somebody else as one part of a path. */
export function part(name: string): string {
  return encodeURIComponent(name);
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
