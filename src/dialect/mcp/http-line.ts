// The Streamable HTTP transport of MCP: the official one, with our limits, our clock, and an end that the fleet can see.
import { SdkHttpError, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { PluglotError, toError } from '../../base/error.ts';
import { within } from '../../base/within.ts';
import type { Ending } from '../../channel/bytes/pipe.ts';
import type { RemoteSpec } from '../../definition/plugin-spec.ts';
import type { HostServices } from '../host-dialect.ts';
import { MiB } from '../../base/limits.ts';
import { sentence } from '../../base/sentence.ts';
import { End, type Line } from './line.ts';
import { limitedFetch, type ResponseLimit } from './limited-fetch.ts';
import { authorisation, type Authorisation } from './oauth/authorisation.ts';
import { authorisedFetch } from './oauth/authorised-fetch.ts';

export function httpLine(remote: RemoteSpec, options: ResponseLimit, services: HostServices): Line {
  return new HttpLine(remote, options, services);
}

/** Until the third attempt to take up a broken stream, as the official client has it. */
const RECONNECTION = {
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 2,
};

class HttpLine implements Line {
  readonly kind = 'http';
  readonly #remote: RemoteSpec;
  readonly #options: ResponseLimit;
  readonly #services: HostServices;
  readonly #end = new End();
  readonly #over = new AbortController();
  #authorisation: Authorisation | undefined;
  #transport: StreamableHTTPClientTransport | undefined;

  constructor(remote: RemoteSpec, options: ResponseLimit, services: HostServices) {
    this.#remote = remote;
    this.#options = options;
    this.#services = services;
  }

  dial(): Transport {
    const { address, headers } = destination(this.#remote, this.#options.pluginName);
    this.#transport = new StreamableHTTPClientTransport(address, {
      fetch: this.#fetchFor(address, headers),
      reconnectionOptions: RECONNECTION,
      reconnectionScheduler: (reconnect, delayMs) => this.#services.clock.after(delayMs, reconnect),
      requestInit: { headers },
    });
    return this.#transport;
  }

  /** Who has said in the settings how we are let in is taken at their word. */
  #fetchFor(address: URL, headers: Record<string, string>): typeof fetch {
    const send = limitedFetch(this.#options);
    const { access, clock } = this.#services;
    const isTold = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
    if (isTold || access === undefined) return send;
    const { pluginName } = this.#options;
    const ask = limitedFetch({ pluginName, messageBytes: MiB });
    this.#authorisation ??= authorisation(
      {
        pluginName,
        url: address,
        settings: this.#remote.oauth ?? {},
        access,
        clock,
        log: (message) => this.#services.log({ level: 'info', message }),
        learn: (secrets) => this.#services.learn?.(secrets),
        send: (input, init) => ask(input, { ...init, signal: withLimit(init?.signal) }),
      },
      {
        signal: this.#over.signal,
        personDecides: () => this.#services.personDecides?.() ?? (() => {}),
      },
    );
    return authorisedFetch(send, {
      pluginName,
      origin: address.origin,
      authorisation: this.#authorisation,
    });
  }

  get waitsForPerson(): boolean {
    return this.#authorisation?.waitsForPerson === true;
  }

  /** A session that the server has forgotten, or a server that is not there any more: a new one has to be opened. */
  failed(thrown: unknown): void {
    const error = toError(thrown);
    if (isLostSession(error) && this.#transport?.sessionId !== undefined) {
      this.#lost(
        new PluglotError(
          'PIPE_ENDED',
          `Plugin "${this.#options.pluginName}" has ended the session; a new one has to be opened.`,
        ),
      );
    } else if (isRefused(error)) {
      this.#lost(
        new PluglotError(
          'PIPE_ENDED',
          `Plugin "${this.#options.pluginName}" cannot be reached: ${sentence(causeOf(error))}`,
          {
            cause: error,
          },
        ),
      );
    }
  }

  /** Tells the server that the session is over. */
  async goodbye(limitMs: number): Promise<void> {
    const transport = this.#transport;
    if (transport?.sessionId === undefined || this.ending !== undefined) return;
    // A server may refuse it; it is gone either way.
    await within(
      transport.terminateSession().catch(() => {}),
      limitMs,
      this.#services.clock,
    );
  }

  close(): void {
    this.#lostWith({ kind: 'closed' });
  }

  get ending(): Ending | undefined {
    return this.#end.ending;
  }

  get ended(): Promise<Ending> {
    return this.#end.told;
  }

  #lost(error: PluglotError): void {
    this.#lostWith({ kind: 'failed', error });
  }

  #lostWith(ending: Ending): void {
    if (!this.#end.tell(ending)) return;
    this.#over.abort(
      new PluglotError(
        'PEER_CLOSED',
        `The connection to plugin "${this.#options.pluginName}" was closed by this end.`,
      ),
    );
    // Only after whoever failed has been told by its own error.
    setImmediate(() => void this.#transport?.close().catch(() => {}));
  }
}

/** An authorisation server answers within that, or not at all. */
const ANSWER_MS = 30_000;

function withLimit(signal: AbortSignal | null | undefined): AbortSignal {
  const limit = AbortSignal.timeout(ANSWER_MS);
  return signal === null || signal === undefined ? limit : AbortSignal.any([signal, limit]);
}

/** Node names an address with a password, and a header that it cannot send, in its errors, secrets and all. */
function destination(
  { url, headers = {} }: RemoteSpec,
  pluginName: string,
): { address: URL; headers: Record<string, string> } {
  const refuse = (what: string) => new PluglotError('CONFIG_INVALID', `Plugin "${pluginName}": ${what}`);
  if (!URL.canParse(url)) throw refuse('"url" is no address. Write "https://…".');
  const address = new URL(url);
  const sent: Record<string, string> = {};
  const isNamed = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  if (!isNamed && (address.username !== '' || address.password !== ''))
    sent['Authorization'] = `Basic ${Buffer.from(credentials(address)).toString('base64')}`;
  address.username = '';
  address.password = '';
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeader(name, value))
      throw refuse(
        `the header ${JSON.stringify(name)} has characters that cannot be sent. Look at its value.`,
      );
    sent[name] = value;
  }
  return { address, headers: sent };
}

function credentials({ username, password }: URL): string {
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    // A percent sign that begins no escape is meant as it stands.
    return `${username}:${password}`;
  }
}

function isHeader(name: string, value: string): boolean {
  try {
    return new Headers([[name, value]]).has(name);
  } catch {
    return false;
  }
}

function isLostSession(error: Error): boolean {
  return error instanceof SdkHttpError && error.status === 404;
}

const GONE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN']);

function isRefused(error: Error): boolean {
  const code = codeOf(error.cause) ?? codeOf(error);
  return code !== undefined && GONE.has(code);
}

function codeOf(value: unknown): string | undefined {
  return value instanceof Error && 'code' in value && typeof value.code === 'string' ? value.code : undefined;
}

function causeOf(error: Error): string {
  return error.cause instanceof Error
    ? error.cause.message || (codeOf(error.cause) ?? 'no reason')
    : error.message;
}
