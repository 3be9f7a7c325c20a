// What goes on while other pages are shown: calls and conversations, each with a way to end it.
import { signal, type ReadonlySignal } from '@preact/signals';

export interface UnderWay {
  /** Two of one key are one, the later. */
  readonly key: string;
  readonly label: string;
  /** Where it is seen in full. */
  readonly href: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** What ending it is called. */
  readonly endLabel: 'Cancel' | 'Leave';
  end(): void;
}

export interface UnderWayList {
  readonly all: ReadonlySignal<readonly UnderWay[]>;
  /** Lists it until then. */
  add(one: UnderWay, until: Promise<unknown>): void;
}

export function underWayList(): UnderWayList {
  const all = signal<readonly UnderWay[]>([]);
  return {
    all,
    add(one, until) {
      all.value = [...all.value.filter(({ key }) => key !== one.key), one];
      const remove = () => (all.value = all.value.filter((other) => other !== one));
      until.then(remove, remove);
    },
  };
}
