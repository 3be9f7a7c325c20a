// While somebody thinks about a question of the plugin, the time limit of the call does not run: it is not the plugin that is slow.
import type { Clock } from '../../base/clock.ts';
import type { Asker } from '../../definition/asker.ts';

export interface Limited {
  /** In the clock's milliseconds. */
  deadline: number;
}

export function unhurried<Call extends Limited>(
  asker: Asker,
  call: Call,
  owner: { readonly clock: Clock; watch(call: Call): void },
): Asker {
  const { clock } = owner;
  return {
    async ask(question, signal) {
      const { deadline } = call;
      const leftMs = deadline - clock.now();
      call.deadline = Infinity;
      try {
        return await asker.ask(question, signal);
      } finally {
        // Another question may have been asked meanwhile: then the later one gives the time back.
        if (call.deadline === Infinity && deadline !== Infinity) {
          call.deadline = clock.now() + leftMs;
          owner.watch(call);
        }
      }
    },
  };
}
