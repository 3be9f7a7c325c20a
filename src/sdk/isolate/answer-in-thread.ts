// The thread's side of isolation: the same definition, run and set up here, answers one call after the other.
import type { JsonObject } from '../../base/json.ts';
import type { Backend, BackendRequest, RunningCall } from '../../definition/backend.ts';
import type { FromThread, ToThread } from './messages.ts';
import type { OwnThread } from './thread-role.ts';

/** Goes on until the main thread closes it or ends the thread. */
export function answerInThread(
  backend: Backend,
  port: OwnThread['port'],
  tell: (message: FromThread) => void,
): void {
  const setUp = setUpWhenChanged(backend);
  let running: RunningCall | undefined;
  let hearDrained = () => {};

  const call = async (request: BackendRequest, config: JsonObject) => {
    await setUp(config);
    running = backend.call(request, {
      event: (event) => tell({ kind: 'event', event }),
      drained: () =>
        new Promise((resolve) => {
          hearDrained = resolve;
          tell({ kind: 'drain' });
        }),
      end: (answer) => tell({ kind: 'end', answer }),
    });
  };

  port.on('message', (message: ToThread) => {
    switch (message.kind) {
      case 'call':
        void call(message.request, message.config);
        break;
      case 'cancel':
        running?.cancel(message.reason);
        break;
      case 'drained':
        hearDrained();
        break;
      case 'close':
        void backend.teardown().then(() => port.close());
    }
  });
}

/** A failure is the call's to tell: it finds the plugin not set up. */
function setUpWhenChanged(backend: Backend): (config: JsonObject) => Promise<void> {
  let last: string | undefined;
  return async (config) => {
    const text = JSON.stringify(config);
    if (text === last) return;
    last = text;
    try {
      await backend.setup(config);
    } catch {
      last = undefined;
    }
  };
}
