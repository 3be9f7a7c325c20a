// Connections by the token or cookie of their requests, so that they end when it is revoked.
import type { Socket } from 'node:net';

export class RevocableRequests {
  readonly #sockets = new Map<string, Set<Socket>>();

  /** Until its connection ends. */
  add(token: string, socket: Socket): void {
    const sockets = this.#sockets.get(token) ?? new Set<Socket>();
    if (sockets.has(socket)) return;
    this.#sockets.set(token, sockets.add(socket));
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0 && this.#sockets.get(token) === sockets) this.#sockets.delete(token);
    });
  }

  /** Without a message: the next request of the client gets the reason. */
  end(token: string): void {
    for (const socket of this.#sockets.get(token) ?? []) socket.destroy();
  }
}
