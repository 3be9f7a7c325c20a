// Who wants to hear of changes, from revision 2026-07-28 on: each for as long as its request is open.
import type { JsonObject } from '../../base/json.ts';
import type { Id } from '../../channel/message/message.ts';
import type { CallContext } from '../../channel/peer/call-context.ts';
import type { Notices } from '../notices.ts';
import { readObject } from './client-requests.ts';
import { notifications } from './schema.ts';
import { subscriptionMeta } from './stateless.ts';

type Change = 'toolsListChanged' | 'promptsListChanged';

const methodOf: Readonly<Record<Change, string>> = {
  toolsListChanged: notifications.toolsChanged,
  promptsListChanged: notifications.promptsChanged,
};

interface Subscription {
  readonly wanted: readonly Change[];
  end(result: JsonObject): void;
}

export class Subscriptions {
  readonly #notices: Notices;
  readonly #open = new Map<Id, Subscription>();

  constructor(notices: Notices) {
    this.#notices = notices;
  }

  /** Is answered when the server ends; a client that has heard enough cancels it. @throws RpcError -32602 */
  listen(params: JsonObject, { id, signal }: CallContext): Promise<JsonObject> {
    const filter = readObject(params, 'notifications');
    const changes: readonly Change[] = ['toolsListChanged', 'promptsListChanged'];
    const wanted = changes.filter((change) => filter[change] === true);
    this.#notices.send({
      method: notifications.subscribed,
      params: {
        notifications: Object.fromEntries(wanted.map((change) => [change, true])),
        ...subscriptionMeta(id),
      },
    });
    return new Promise((end) => {
      this.#open.set(id, { wanted, end });
      signal.addEventListener('abort', () => this.#open.delete(id), { once: true });
    });
  }

  changed(change: Change): void {
    for (const [id, { wanted }] of this.#open)
      if (wanted.includes(change))
        this.#notices.send({ method: methodOf[change], params: subscriptionMeta(id) });
  }

  end(): void {
    for (const [id, subscription] of this.#open) subscription.end(subscriptionMeta(id));
    this.#open.clear();
  }
}
