// The author's side of MCP: a server on stdio, whatever answers behind it. Written on our own peer, so that a plugin loads nothing else.
import { isJsonObject } from '../../base/json.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import { lines } from '../../channel/frame/lines.ts';
import type { Id } from '../../channel/message/message.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import type { CancelWords } from '../../channel/peer/options.ts';
import type { Backend } from '../../definition/backend.ts';
import type { AuthorDialect, AuthorServices, Served } from '../author-dialect.ts';
import { AuthorLife } from '../author-life.ts';
import { facetCollision } from '../facet-tools.ts';
import { hostPeer } from '../host-peer.ts';
import { notServed } from '../not-served.ts';
import { readParams } from './client-requests.ts';
import { McpServer } from './server.ts';
import { notifications } from './schema.ts';

export const mcpAuthor: AuthorDialect = { name: 'mcp', serve };

function serve(pipe: Pipe, backend: Backend, services: AuthorServices): Served {
  const collision = facetCollision(backend);
  if (collision !== undefined) return notServed(collision, backend, services);
  const cancel = new Cancellation();
  const peer = hostPeer(pipe, lines(), services, { cancel });
  const server = new McpServer(backend, peer, services);
  const life = new AuthorLife(peer, backend);
  for (const method of server.methods)
    peer.handle(method, (params, context) => {
      if (context.id === null)
        throw new RpcError(
          standardErrors.invalidRequest.code,
          'Invalid Request: the id of a request is null.',
        );
      if (method === 'initialize') cancel.isNotFor(context.id);
      return server.answer(method, readParams(params), context);
    });
  peer.onNotification(notifications.initialized, () => server.clientIsReady());
  void peer.ended.then(() => server.clientIsGone());
  return {
    log: (entry) => server.log(entry),
    over: life.over,
    close() {
      // What is open for as long as there is a server would have to be waited for.
      server.clientIsGone();
      void life.close();
    },
  };
}

/** How a client gives a request up. A server of ours asks nothing, so it has nothing to give up. */
class Cancellation implements CancelWords {
  readonly method = notifications.cancelled;
  #protected: Id | undefined;

  say(requestId: number) {
    return { method: this.method, params: { requestId } };
  }

  /** The hello cannot be given up. */
  isNotFor(id: Id): void {
    this.#protected = id;
  }

  idIn(params: unknown): Id | undefined {
    const id = isJsonObject(params) ? params['requestId'] : undefined;
    return (typeof id === 'string' || typeof id === 'number') && id !== this.#protected ? id : undefined;
  }
}
