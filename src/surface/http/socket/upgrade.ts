// One request that wants to go on as a WebSocket: a plain one until it is accepted.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../../base/clock.ts';
import { sentence } from '../../../base/sentence.ts';
import type { HttpLimits } from '../limits.ts';
import type { Outlet } from '../outlet.ts';
import { badRequest, HttpProblem } from '../problem.ts';
import { offeredProtocols, PROTOCOL, type OfferedProtocols } from './offered-protocols.ts';
import { SocketOutlet } from './socket-outlet.ts';

export interface UpgradeContext {
  readonly request: IncomingMessage;
  /** For a refusal. */
  readonly response: ServerResponse;
  /** What came after the head of the request. */
  readonly head: Buffer;
  readonly limits: HttpLimits;
  readonly clock: Clock;
}

export class Upgrade {
  readonly protocols: OfferedProtocols;
  readonly #context: UpgradeContext;
  #outlet: SocketOutlet | undefined;

  constructor(context: UpgradeContext) {
    this.#context = context;
    this.protocols = offeredProtocols(context.request.headers);
  }

  /** From then on it is too late for a problem. */
  get isAccepted(): boolean {
    return this.#outlet !== undefined;
  }

  /** @throws HttpProblem 400, or 426 for another version */
  async accept(): Promise<Outlet> {
    this.#checkVersion();
    this.#checkProtocols();
    // Loaded for the first who wants one.
    const { WebSocketServer } = await import('ws');
    const { request, response, head, limits, clock } = this.#context;
    const { socket } = request;
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: limits.frameBytes,
      // Whoever asks for answers without reading them would fill the memory.
      autoPong: false,
      handleProtocols: () => PROTOCOL,
    });
    let reason = 'the client went away';
    server.once('wsClientError', ({ message }) => (reason = message));
    // Before it returns; frames that came with the request are heard in the next moment.
    server.handleUpgrade(request, socket, head, (webSocket) => {
      response.detachSocket(socket);
      this.#outlet = new SocketOutlet(webSocket, socket, limits, clock);
    });
    if (this.#outlet === undefined) throw badRequest(`This does not begin a WebSocket: ${sentence(reason)}`);
    return this.#outlet;
  }

  /** When the server goes away. */
  leave(): void {
    if (this.#outlet === undefined) this.destroy();
    else this.#outlet.close(1001, 'The host is shutting down.');
  }

  destroy(): void {
    this.#context.request.socket.destroy();
  }

  /** In older ones, pages do not say where they are from as they do now. */
  #checkVersion(): void {
    if (this.#context.request.headers['sec-websocket-version'] === '13') return;
    throw new HttpProblem(426, 'BAD_REQUEST', 'The WebSocket has to be one of version 13.', {
      'sec-websocket-version': '13',
      upgrade: 'websocket',
      connection: 'upgrade, close',
    });
  }

  /** The token is no protocol to agree on: the answer would repeat it. */
  #checkProtocols(): void {
    const { all } = this.protocols;
    if (all.length > 0 && !all.includes(PROTOCOL))
      throw badRequest(`Of subprotocols, ${PROTOCOL} has to be among those that are offered.`);
  }
}
