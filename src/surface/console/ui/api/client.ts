// The host's HTTP API as this page calls it. The browser adds the session cookie, which no script can read.
import { sseParser } from '../../../../base/sse.ts';
import type { ApiPath, ApiResult } from './types.ts';

/** An error response of the host, with its message. */
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
  get<Path extends ApiPath<'GET'>>(path: Path, signal?: AbortSignal): Promise<ApiResult<'GET', Path>>;
  send<Verb extends 'POST' | 'DELETE', Path extends ApiPath<Verb>>(
    method: Verb,
    path: Path,
    body?: unknown,
  ): Promise<ApiResult<Verb, Path>>;
  /** Exchanges the code of a one-time link for a cookie. @throws ApiError 401 where it was used before or has expired */
  enter(code: string): Promise<void>;
  /** Resolves when the host ends the stream. */
  stream(path: ApiPath<'GET' | 'POST'>, request: StreamRequest): Promise<void>;
}

export function createApi(fetch: typeof globalThis.fetch, onUnauthorized: () => void): Api {
  const request = async (
    method: string,
    path: string,
    accept: string,
    body?: unknown,
    signal?: AbortSignal,
  ) => {
    const response = await answered(
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
    if (response.status === 401) onUnauthorized();
    throw await problemOf(response);
  };
  return {
    async get<Path extends ApiPath<'GET'>>(path: Path, signal?: AbortSignal) {
      const response = await request('GET', path, 'application/json', undefined, signal);
      // The page and the host that serves it have the same version.
      return (await response.json()) as ApiResult<'GET', Path>;
    },
    async send<Verb extends 'POST' | 'DELETE', Path extends ApiPath<Verb>>(
      method: Verb,
      path: Path,
      body?: unknown,
    ) {
      const text = await (await request(method, path, 'application/json', body)).text();
      // As above; the result of a request without a response body is not used.
      return (text === '' ? undefined : JSON.parse(text)) as ApiResult<Verb, Path>;
    },
    async enter(code) {
      const body = JSON.stringify({ code });
      const headers = { accept: 'application/json', 'content-type': 'application/json' };
      const response = await answered(
        fetch('/', { method: 'POST', headers, body, credentials: 'same-origin' }),
      );
      if (!response.ok) throw await problemOf(response);
    },
    async stream(path, { method = 'GET', body, signal, onOpen, onEvent }) {
      const response = await request(method, path, 'text/event-stream', body, signal);
      onOpen?.(response);
      const feed = sseParser();
      const decoder = new TextDecoder();
      const reader = response.body?.getReader();
      for (let chunk = await reader?.read(); chunk?.done === false; chunk = await reader?.read())
        for (const { name, data } of feed(decoder.decode(chunk.value, { stream: true })))
          if (data !== '') onEvent(name, JSON.parse(data));
    },
  };
}

async function answered(response: Promise<Response>): Promise<Response> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, 'NOT_REACHED', 'The host does not respond. Is `pluglot up` still running?');
  }
}

async function problemOf(response: Response): Promise<ApiError> {
  const fallback = `The host responded with status ${response.status}.`;
  try {
    const { code, detail, title } = (await response.json()) as Record<'code' | 'detail' | 'title', unknown>;
    const message = typeof detail === 'string' ? detail : typeof title === 'string' ? title : fallback;
    return new ApiError(response.status, typeof code === 'string' ? code : 'UNKNOWN', message);
  } catch {
    return new ApiError(response.status, 'UNKNOWN', fallback);
  }
}

/** A name as one segment of a path. */
export function segment(name: string): string {
  return encodeURIComponent(name);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
