// What pages keep while others are shown, each under its own name. It lives as long as the host of this page does.

export interface Kept {
  /** The one of this name, made when it is first asked for. */
  of<Value>(name: string, make: () => Value): Value;
}

export function keptThings(): Kept {
  const things = new Map<string, unknown>();
  return {
    of<Value>(name: string, make: () => Value) {
      if (!things.has(name)) things.set(name, make());
      // Whoever asks by a name made it.
      return things.get(name) as Value;
    },
  };
}
