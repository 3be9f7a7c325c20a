// What the page that is shown kept when it was left.
import { useHost } from './host-context.ts';

export function useKept<Value>(name: string, make: () => Value): Value {
  return useHost().kept.of(name, make);
}
