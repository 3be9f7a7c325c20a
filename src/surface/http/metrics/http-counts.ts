// Requests by where they went and how they were answered; addresses of strangers are counted as one.

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']);

export class HttpCounts {
  readonly #counts = new Map<string, { readonly labels: Readonly<Record<string, string>>; count: number }>();

  /** `route` is the pattern, of which there are few. */
  answered(method: string, route: string, status: number): void {
    const labels = { method: METHODS.has(method) ? method : 'other', route, status: String(status) };
    const key = Object.values(labels).join(' ');
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { labels, count: 1 });
    else known.count += 1;
  }

  get all(): Iterable<{ readonly labels: Readonly<Record<string, string>>; readonly count: number }> {
    return this.#counts.values();
  }
}
