// What a running `up` serves: the API, the MCP endpoint and the console, on one port of this machine.
import { isDeepStrictEqual } from 'node:util';
import { PluglotError } from '../../../base/error.ts';
import type { Pipe } from '../../../channel/bytes/pipe.ts';
import type { ConsoleLink } from '../../../runtime/api.ts';
import type { RuntimeParts } from '../../../runtime/runtime-parts.ts';
import type { ProfileSettings, ServerSettings } from '../../../runtime/server-settings.ts';
import { consoleFiles } from '../../console/console-files.ts';
import { createEndpoint } from '../../mcp/endpoint.ts';
import { requestLimits } from '../../http/limits.ts';
import { usageError } from '../context.ts';
import { createHttpServer, type HttpServer, type HttpServerOptions } from '../../http/server.ts';

export interface ServeParts {
  readonly runtime: Pick<RuntimeParts, 'registry' | 'gate' | 'tokens' | 'secrets'>;
  /** The same, as others see it. It stays its owner's. */
  readonly api: HttpServerOptions['api'];
  readonly settings: ServerSettings;
  readonly profiles: ProfileSettings;
  /** Gets warnings for the owner. */
  readonly warn: (message: string) => void;
}

export interface ServedRuntime {
  readonly url: string;
  /** Opens the MCP endpoint, and nothing else. */
  readonly token: string;
  /** Undefined where there is no console. */
  readonly consoleLink: (() => ConsoleLink) | undefined;
  /** Undefined when they are as they were; else the names of those whose clients have to come again. */
  useProfiles(profiles: ProfileSettings): Promise<readonly string[] | undefined>;
  /** Serves one more client of MCP on a pipe, as on stdio. */
  readonly serveOn: (pipe: Pipe) => Promise<void>;
  close(): Promise<void>;
}

/** @throws PluglotError INVALID_ARGUMENTS when it cannot listen at the given address, UNAVAILABLE when it cannot listen at all, or the console is not built */
export async function serveRuntime(parts: ServeParts): Promise<ServedRuntime> {
  const { runtime, api, settings, warn } = parts;
  const { console: hasConsole = true, allowedHosts = [], allowedOrigins = [], host } = settings;
  const { tokens, secrets } = runtime;
  const token = await tokens.ensureDefault();
  let { profiles } = parts;
  const learn = () => secrets.learn([token, ...Object.values(profiles).flatMap((one) => one.token ?? [])]);
  learn();
  const limits = requestLimits(settings.limits);
  const endpoint = createEndpoint({
    runtime,
    tokens,
    profiles,
    limits,
    log: ({ level, message }) => {
      if (level === 'error' || level === 'warn') warn(message);
    },
  });
  const server = await listen(settings.port, {
    api,
    mcp: (request, response) => void endpoint.handleHttp(request, response),
    closeMcp: () => endpoint.close(),
    ...(hasConsole && { console: consoleFiles() }),
    ...(host !== undefined && { host }),
    tokens,
    allowedHosts,
    allowedOrigins,
    limits,
    warn,
  });
  return {
    token,
    consoleLink: hasConsole ? () => server.consoleLink() : undefined,
    url: server.url,
    async useProfiles(next) {
      if (isDeepStrictEqual(next, profiles)) return undefined;
      profiles = next;
      learn();
      return endpoint.useProfiles(next);
    },
    serveOn: (pipe) => endpoint.serveStdio(pipe),
    close: () => server.close(),
  };
}

/** People remember it. */
const USUAL_PORT = 7717;
const TRIED = 10;

/** The given port, or the next free one from the usual port on. */
async function listen(
  port: number | undefined,
  options: Omit<HttpServerOptions, 'port'>,
): Promise<HttpServer> {
  const isAskedFor = port !== undefined || options.host !== undefined;
  for (let tried = 0; tried < TRIED; tried += 1) {
    try {
      return await createHttpServer({ ...options, port: port ?? USUAL_PORT + tried });
    } catch (thrown) {
      if (!(thrown instanceof PluglotError)) throw thrown;
      if (port === undefined && isTaken(thrown)) continue;
      throw isAskedFor ? usageError(thrown.message, { cause: thrown.cause }) : thrown;
    }
  }
  return createHttpServer({ ...options, port: 0 });
}

function isTaken({ cause }: PluglotError): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
}
