// The stdio transport of MCP over our own pipe: one message per line, noise survived, processes left to the fleet.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { PluglotError } from '../../base/error.ts';
import { sentence } from '../../base/sentence.ts';
import type { Ending, Pipe } from '../../channel/bytes/pipe.ts';
import { lines } from '../../channel/frame/lines.ts';
import { framedLink } from '../../channel/link/framed-link.ts';
import type { Link, LinkListener, Trouble } from '../../channel/link/link.ts';
import type { Invalid, Received, Request, Single } from '../../channel/message/message.ts';
import { standardErrors } from '../../channel/message/rpc-error.ts';
import { tolerant } from '../../channel/message/tolerances.ts';
import { Listeners } from '../../channel/peer/listeners.ts';
import { OversizeBodies } from '../../channel/peer/oversize.ts';
import type { HostServices } from '../host-dialect.ts';
import { End, failureFor, messageOf, type Line } from './line.ts';

export interface PipeLineOptions {
  readonly pluginName: string;
  /** The largest message taken. */
  readonly messageBytes: number;
}

export function pipeLine(pipe: Pipe, options: PipeLineOptions, services: HostServices): Line {
  return new PipeLine(pipe, options, services);
}

class PipeLine implements Line, LinkListener {
  readonly kind = 'pipe';
  readonly #link: Link;
  readonly #options: PipeLineOptions;
  readonly #listeners: Listeners;
  readonly #oversize = new OversizeBodies();
  readonly #end = new End();
  #isOpen = false;
  #transport: Transport | undefined;

  constructor(pipe: Pipe, options: PipeLineOptions, services: HostServices) {
    this.#link = framedLink(pipe, lines({ receiveLimit: options.messageBytes }), { tolerances: tolerant });
    this.#options = options;
    this.#listeners = new Listeners((trouble) => services.trouble(trouble));
    if (services.observer !== undefined) this.#listeners.observe(services.observer);
  }

  dial(): Transport {
    const transport: Transport = {
      start: async () => this.#open(),
      send: async (message) => this.#send(message),
      close: async () => transport.onclose?.(),
    };
    this.#transport = transport;
    return transport;
  }

  failed(): void {
    // What a pipe cannot carry fails its own call; its end is told by the link.
  }

  /** MCP's goodbye is the end of stdin, with which the fleet begins to stop a process anyway. */
  async goodbye(): Promise<void> {}

  close(): void {
    this.#link.destroy();
    this.#ended({ kind: 'closed' }); // a pipe that was never opened tells nobody
  }

  get ending(): Ending | undefined {
    return this.#end.ending;
  }

  get ended(): Promise<Ending> {
    return this.#end.told;
  }

  chunkStart(): void {}

  message(received: Received): void {
    this.#listeners.observed('received', received);
    if (received.kind === 'batch') for (const item of received.items) this.#one(item);
    else this.#one(received);
  }

  trouble(trouble: Trouble): void {
    this.#listeners.trouble(trouble);
    const lost = this.#oversize.take(trouble);
    if (lost === undefined) return;
    const what = `${lost.size} bytes, which is over the limit for receiving (limits.messageBytes)`;
    if (lost.kind === 'response') {
      this.#fail(
        lost.id,
        new PluglotError('FRAME_TOO_LARGE', `Plugin "${this.#options.pluginName}" answered with ${what}.`),
      );
    } else {
      const { code, message } = standardErrors.invalidRequest;
      this.#answer({ kind: 'failure', id: lost.id, error: { code, message: `${message}: ${what}` } });
    }
  }

  end(ending: Ending): void {
    this.#ended(ending);
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#link.open(this);
  }

  #send(json: JSONRPCMessage): void {
    const message = messageOf(json);
    this.#link.send(message);
    this.#listeners.observed('sent', message);
  }

  #one(message: Single | Invalid): void {
    switch (message.kind) {
      case 'request':
        this.#request(message);
        break;
      case 'notification':
        this.#deliver({ jsonrpc: '2.0', method: message.method, ...paramsOf(message.params) });
        break;
      case 'success':
        // The tap above looks at the result before the client does.
        if (message.id !== null)
          this.#deliver({ jsonrpc: '2.0', id: message.id, result: message.result } as JSONRPCMessage);
        break;
      case 'failure':
        if (message.id !== null) this.#deliver({ jsonrpc: '2.0', id: message.id, error: message.error });
        break;
      case 'invalid':
        this.#invalid(message);
        break;
    }
  }

  #request({ id, method, params }: Request): void {
    if (id !== null) return this.#deliver({ jsonrpc: '2.0', id, method, ...paramsOf(params) });
    const text = `{"id":null,"method":${JSON.stringify(method)}}`;
    this.#listeners.trouble({ kind: 'invalid', reason: 'MCP has no requests whose id is null', text });
  }

  /** Noise, unless it names a call of ours: nobody shall wait for an answer that came broken. */
  #invalid({ as, id, reason, text }: Invalid): void {
    this.#listeners.trouble({ kind: 'invalid', reason, text });
    if (as !== 'response' && as !== 'either') return;
    this.#fail(
      id,
      new PluglotError(
        'INVALID_RESPONSE',
        `Plugin "${this.#options.pluginName}" answered with no JSON-RPC response: ${sentence(reason)}`,
      ),
    );
  }

  #fail(id: string | number | null, error: PluglotError): void {
    if (id !== null) this.#deliver(failureFor(id, error));
  }

  #answer(response: Single): void {
    try {
      this.#link.send(response);
      this.#listeners.observed('sent', response);
    } catch (thrown) {
      this.#listeners.threw('an answer to an oversize request', thrown);
    }
  }

  #deliver(message: JSONRPCMessage): void {
    try {
      this.#transport?.onmessage?.(message);
    } catch (thrown) {
      this.#listeners.threw('the MCP client', thrown);
    }
  }

  #ended(ending: Ending): void {
    if (this.#end.tell(ending)) this.#transport?.onclose?.();
  }
}

/** MCP has no params but objects; the tap above refuses what has others. */
function paramsOf(params: unknown): { params?: Record<string, unknown> } {
  return params === undefined ? {} : { params: params as Record<string, unknown> };
}
