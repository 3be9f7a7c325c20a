// The host tells for how long a plugin is in its state; the page keeps since when, so that it can go on counting.

/** Later than any duration, and before any host was started. */
const EARLIEST = 1e12;

export function sinceMoment<View extends { readonly sinceMs: number }>(view: View, now: number): View {
  return view.sinceMs >= EARLIEST ? view : { ...view, sinceMs: now - view.sinceMs };
}
