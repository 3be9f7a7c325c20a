// A conversation of a command with a plugin of its own fleet.
import type { CallEvent, Outcome } from '../../../definition/outcome.ts';
import type { Call } from '../../../fleet/plugin/call.ts';
import type { Talk } from '../../../fleet/plugin/talk.ts';
import type { HostTalk } from './host.ts';

export async function ownTalk(talk: Talk, onEvent: (event: CallEvent) => void): Promise<HostTalk> {
  return {
    first: await hear(talk.opening, onEvent),
    async say(content, listener, signal) {
      const call = talk.say(content);
      const cancel = () => call.cancel();
      signal.addEventListener('abort', cancel, { once: true });
      try {
        return await hear(call, listener);
      } finally {
        signal.removeEventListener('abort', cancel);
      }
    },
    async end() {
      talk.end();
      await talk.ended;
    },
  };
}

export async function hear(call: Call, onEvent: (event: CallEvent) => void): Promise<Outcome> {
  for await (const event of call) onEvent(event);
  return call.outcome;
}
