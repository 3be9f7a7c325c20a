// A menu for the person at the terminal.
import type { Clock } from '../../../base/clock.ts';
import { printableLine } from '../../../base/printable.ts';
import type { HostPorts } from '../../host-ports.ts';
import type { SelectionChannel, SelectionRequest } from './channel.ts';
import { readChoice } from './read-choice.ts';

/** Whoever mistypes is asked again, but not for ever. */
const TRIES = 3;

export function consoleChannel(
  { timeoutMs }: { readonly timeoutMs: number },
  { person, print, clock }: Pick<HostPorts, 'person' | 'print'> & { readonly clock: Clock },
): SelectionChannel {
  return {
    choose: async (request, signal) => {
      if (person === undefined)
        return {
          kind: 'unavailable',
          reason:
            'There is nobody at a terminal who could choose. Run it in one, or set channel_type to "webhook" or "file".',
        };
      const limit = new AbortController();
      const callOff = clock.after(timeoutMs, () => limit.abort());
      const either = AbortSignal.any([limit.signal, signal]);
      try {
        let complaint = '';
        for (let tries = 0; tries < TRIES; tries++) {
          const typed = await person.ask(menu(request, complaint), 'Selection: ', either);
          if (limit.signal.aborted) return { kind: 'late' };
          if (typed === undefined) return { kind: 'none' };
          const choice = readChoice(typed, request.sources.length);
          if (choice.kind === 'numbers') return selected(request, choice.numbers);
          complaint = choice.reason;
        }
        return { kind: 'none' };
      } catch {
        return limit.signal.aborted ? { kind: 'late' } : { kind: 'none' };
      } finally {
        callOff();
      }
    },
    tell: (message) => {
      print(printableLine(message));
      return Promise.resolve();
    },
  };
}

function selected({ sources }: SelectionRequest, numbers: readonly number[]) {
  if (numbers.length === 0) return { kind: 'none' } as const;
  const ids = numbers.flatMap((number) => sources[number - 1]?.id ?? []);
  return { kind: 'selected', ids } as const;
}

function menu({ context, sources }: SelectionRequest, complaint: string): string {
  if (complaint !== '') return `${printableLine(complaint)} Numbers such as 1,3 or 2-4, "all", or "none".`;
  return [
    'REFERENCE SELECTION',
    ...(context === null ? [] : ['', `Context: ${printableLine(context, 500)}`]),
    '',
    ...sources.flatMap(({ name, description, type, tags }, index) => [
      `  [${index + 1}] ${printableLine(name)}`,
      ...(description === '' ? [] : [`      ${printableLine(description)}`]),
      `      Type: ${type} | Tags: ${printableLine(tags.join(', ')) || 'none'}`,
    ]),
    '',
    'Numbers separated by commas (1,3 or 2-4), "all", or "none".',
  ].join('\n');
}
