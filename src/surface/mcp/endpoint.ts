// All exposed tools as one MCP server, for any number of clients: over HTTP and on a pipe, of both eras of the protocol.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toError } from '../../base/error.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import type { HttpTransport } from './http/http-transport.ts';
import { CLOSING, type EndpointOptions, type EndpointProfiles } from './options.ts';

export type { EndpointOptions } from './options.ts';

export interface Endpoint {
  /** For `/mcp` and `/mcp?profile=NAME`. Checks the token; the server has checked Host and Origin. Never rejects. */
  handleHttp(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** One client, such as on this process's own stdio. Resolves when it has gone, or the signal fired. */
  serveStdio(pipe: Pipe, signal?: AbortSignal): Promise<void>;
  /**
   * Replaces the profiles. Ends the clients of profiles that were removed or have another token, and returns the names of those profiles; other
   * clients stay connected and are notified of what changed.
   */
  useProfiles(profiles: EndpointProfiles): Promise<readonly string[]>;
  /** Clients that have a session over HTTP. */
  readonly sessions: number;
  /** Accepts no new requests, gives calls a moment to end, fails the rest with the reason, and closes all sessions. The runtime stays open. */
  close(): Promise<void>;
}

/** What serving needs is loaded with the first client. */
export function createEndpoint(options: EndpointOptions): Endpoint {
  const { tokens } = options;
  let { profiles = {} } = options;
  tokens?.useConfigured(tokensOf(profiles));
  let loading: Promise<Transports> | undefined;
  let loaded: Transports | undefined;
  let closed: Promise<void> | undefined;
  const close = async () => {
    await (await loading?.catch(() => undefined))?.close();
  };
  const transports = async () => {
    const underWay = (loading ??= load({ ...options, profiles }));
    try {
      loaded = await underWay;
      return loaded;
    } catch (thrown) {
      // The next client tries again.
      if (loading === underWay) loading = undefined;
      throw thrown;
    }
  };
  return {
    async handleHttp(request, response) {
      if (closed !== undefined && loading === undefined)
        return void response.writeHead(503, { connection: 'close' }).end();
      try {
        const { http } = loaded ?? (await transports());
        await http.handle(request, response);
      } catch (thrown) {
        const message = `An MCP client could not be served: ${toError(thrown).message}`;
        options.log?.({ level: 'error', message });
        response.writeHead(500, { connection: 'close' }).end();
      }
    },
    async serveStdio(pipe, signal) {
      await (await transports()).serve(pipe, signal);
    },
    async useProfiles(next) {
      profiles = next;
      // Clients that are ended get the reason of the profile, not that of its token.
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

interface Transports {
  readonly http: Pick<HttpTransport, 'handle' | 'sessions' | 'useProfiles'>;
  serve(pipe: Pipe, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

async function load(options: EndpointOptions): Promise<Transports> {
  const [{ Serving }, { HttpTransport }, { serveOnPipe }] = await Promise.all([
    import('./serving.ts'),
    import('./http/http-transport.ts'),
    import('./stdio-transport.ts'),
  ]);
  const serving = new Serving(options);
  const http = new HttpTransport(serving, options);
  const closing = new AbortController();
  const pipes = new Set<Promise<void>>();
  return {
    http,
    async serve(pipe, signal) {
      const served = serveOnPipe(serving, pipe, { closing: closing.signal, interrupted: signal });
      pipes.add(served);
      await served.finally(() => pipes.delete(served));
    },
    async close() {
      closing.abort();
      await Promise.all([http.close(CLOSING), ...pipes]);
      serving.close();
    },
  };
}
