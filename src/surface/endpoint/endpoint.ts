// All exposed tools as one MCP server, for any number of clients: over HTTP and on a pipe, of both eras of the protocol.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toError } from '../../base/error.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import type { HttpFace } from './http/http-face.ts';
import { CLOSING, type EndpointOptions, type EndpointProfiles } from './options.ts';

export type { EndpointOptions } from './options.ts';

export interface Endpoint {
  /** For `/mcp` and `/mcp?profile=NAME`. Looks at Host, Origin and the token itself. Never rejects. */
  handleHttp(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** One client, such as on this process's own stdio. Resolves when it has gone, or the signal fired. */
  serveStdio(pipe: Pipe, signal?: AbortSignal): Promise<void>;
  /**
   * From now on these hold. Clients of those that are gone, or that another token opens, are ended, and their names returned; all others go on,
   * and hear what they see otherwise.
   */
  useProfiles(profiles: EndpointProfiles): Promise<readonly string[]>;
  /** Clients that are connected over HTTP and said hello. */
  readonly sessions: number;
  /** Takes nothing new, lets calls end for a moment, answers the others with why, and closes all sessions. The runtime stays its owner's. */
  close(): Promise<void>;
}

/** The official package is loaded with the first client. */
export function createEndpoint(options: EndpointOptions): Endpoint {
  const { tokens } = options;
  let { profiles = {} } = options;
  tokens?.useConfigured(tokensOf(profiles));
  let loading: Promise<Faces> | undefined;
  let loaded: Faces | undefined;
  let closed: Promise<void> | undefined;
  const close = async () => {
    await (await loading?.catch(() => undefined))?.close();
  };
  const faces = async () => {
    const underWay = (loading ??= load({ ...options, profiles }));
    try {
      loaded = await underWay;
      return loaded;
    } catch (thrown) {
      // The next client may have more luck.
      if (loading === underWay) loading = undefined;
      throw thrown;
    }
  };
  return {
    async handleHttp(request, response) {
      if (closed !== undefined && loading === undefined)
        return void response.writeHead(503, { connection: 'close' }).end();
      try {
        const { http } = loaded ?? (await faces());
        await http.handle(request, response);
      } catch (thrown) {
        const message = `A client of MCP could not be served: ${toError(thrown).message}`;
        options.log?.({ level: 'error', message });
        response.writeHead(500, { connection: 'close' }).end();
      }
    },
    async serveStdio(pipe, signal) {
      await (await faces()).serve(pipe, signal);
    },
    async useProfiles(next) {
      profiles = next;
      // Those that are ended by it are told of the profile, before they are of its token.
      const ending = loaded?.http.useProfiles(next);
      tokens?.useConfigured(tokensOf(next));
      return ending ?? (await loading?.catch(() => undefined))?.http.useProfiles(next) ?? [];
    },
    get sessions() {
      return loaded?.http.sessions ?? 0;
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/** Those that profiles have themselves. */
function tokensOf(profiles: EndpointProfiles): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(profiles).flatMap(([name, { token }]) => (token === undefined ? [] : [[name, token]])),
  );
}

interface Faces {
  readonly http: Pick<HttpFace, 'handle' | 'sessions' | 'useProfiles'>;
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
  const pipes = new Set<Promise<void>>();
  return {
    http,
    async serve(pipe, signal) {
      const served = serveOnPipe(room, pipe, { closing: leaving.signal, interrupted: signal });
      pipes.add(served);
      await served.finally(() => pipes.delete(served));
    },
    async close() {
      leaving.abort();
      await Promise.all([http.close(CLOSING), ...pipes]);
      room.close();
    },
  };
}
