// The host tells for how long a plugin is in its state; the page keeps since when, so that it can go on counting.

/** Later than any duration, and before any host was started. */
const EARLIEST = 1e12;

/** 0 stays 0: nobody knows since when, such as of one that was never started. */
export function sinceMoment<View extends { readonly sinceMs: number }>(view: View, now: number): View {
  const { sinceMs } = view;
  return sinceMs === 0 || sinceMs >= EARLIEST ? view : { ...view, sinceMs: now - sinceMs };
}
