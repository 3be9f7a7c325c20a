// Numbers in the text format of Prometheus.

export type Labels = Readonly<Record<string, string>>;

export class MetricWriter {
  readonly #lines: string[] = [];

  /** Begins a family: what follows belongs to it. */
  family(name: string, type: 'counter' | 'gauge' | 'histogram', help: string): void {
    this.#lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
  }

  sample(name: string, labels: Labels, value: number): void {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    this.#lines.push(`${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberOf(value)}`);
  }

  /** `counts` by bound, not added up; one more than there are bounds, for all others. */
  histogram(
    name: string,
    labels: Labels,
    bounds: readonly number[],
    counts: readonly number[],
    sum: number,
  ): void {
    let total = 0;
    for (const [at, bound] of bounds.entries()) {
      total += counts[at] ?? 0;
      this.sample(`${name}_bucket`, { ...labels, le: String(bound) }, total);
    }
    total += counts[bounds.length] ?? 0;
    this.sample(`${name}_bucket`, { ...labels, le: '+Inf' }, total);
    this.sample(`${name}_sum`, labels, sum);
    this.sample(`${name}_count`, labels, total);
  }

  text(): string {
    return `${this.#lines.join('\n')}\n`;
  }
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function numberOf(value: number): string {
  return Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
