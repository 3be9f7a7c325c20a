// The numbers of one plugin, and its last minute.
import type { PluginView } from '../../api/types.ts';
import { grouped, shortLatency } from '../../lib/format.ts';
import { Spark } from '../../parts/spark.tsx';

export function PluginNumbers({ plugin: { stats, restarts } }: { readonly plugin: PluginView }) {
  const numbers: readonly (readonly [label: string, value: string, isBad?: boolean])[] = [
    ['Calls', grouped(stats.calls)],
    ['Failed', grouped(stats.failures), stats.failures > 0],
    ['p50', shortLatency(stats.p50Ms)],
    ['p99', shortLatency(stats.p99Ms)],
    ['Running', grouped(stats.running)],
    ['Waiting', grouped(stats.waiting)],
    ['Restarts', grouped(restarts), restarts > 0],
  ];
  return (
    <div class="numbers">
      <dl>
        {numbers.map(([label, value, isBad = false]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd class={`number ${isBad ? 'bad-text' : ''}`}>{value}</dd>
          </div>
        ))}
      </dl>
      <div class="numbers-spark">
        <span class="faint small">Last minute</span>
        <Spark values={stats.perSecond} />
      </div>
    </div>
  );
}
