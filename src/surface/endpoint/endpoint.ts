// All exposed tools as one MCP server, for any number of clients: over HTTP and on a pipe, of both eras of the protocol.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import type { EndpointOptions } from './options.ts';

export type { EndpointOptions } from './options.ts';

export interface Endpoint {
  /** For `/mcp` and `/mcp?profile=NAME`. Looks at Host, Origin and the token itself. Never rejects. */
  handleHttp(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** One client, such as on this process's own stdio. Resolves when it has gone, or the signal fired. */
  serveStdio(pipe: Pipe, signal?: AbortSignal): Promise<void>;
  /** Clients that are connected over HTTP and said hello. */
  readonly sessions: number;
  /** Calls of all clients are cancelled and their sessions closed. The runtime stays its owner's. */
  close(): Promise<void>;
}

/** The official package is loaded with the first client. */
export function createEndpoint(options: EndpointOptions): Endpoint {
  let loading: Promise<Faces> | undefined;
  let loaded: Faces | undefined;
  let isClosed = false;
  const faces = async () => {
    loading ??= load(options);
    loaded = await loading;
    return loaded;
  };
  return {
    async handleHttp(request, response) {
      if (isClosed) return void response.writeHead(503, { connection: 'close' }).end();
      const { http } = await faces();
      await http.handle(request, response);
    },
    async serveStdio(pipe, signal) {
      await (await faces()).serve(pipe, signal);
    },
    get sessions() {
      return loaded?.http.sessions ?? 0;
    },
    async close() {
      isClosed = true;
      await (await loading?.catch(() => undefined))?.close();
    },
  };
}

interface Faces {
  readonly http: {
    handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
    readonly sessions: number;
  };
  serve(pipe: Pipe, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

async function load(options: EndpointOptions): Promise<Faces> {
  const [{ ServingRoom }, { HttpFace }, { serveOnPipe }] = await Promise.all([
    import('./serving-room.ts'),
    import('./http/http-face.ts'),
    import('./stdio-face.ts'),
  ]);
  const room = new ServingRoom(options);
  const http = new HttpFace(room, options);
  const leaving = new AbortController();
  return {
    http,
    serve: (pipe, signal) =>
      serveOnPipe(
        room,
        pipe,
        signal === undefined ? leaving.signal : AbortSignal.any([signal, leaving.signal]),
      ),
    async close() {
      leaving.abort();
      await http.close();
      room.close();
    },
  };
}
