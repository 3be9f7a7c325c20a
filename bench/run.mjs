// `npm run bench`: measures our channel and its peers, prints the table, judges the promises, writes the results.
import process from 'node:process';
import { closeHosts } from './host-process.mjs';
import { fullPlan, measure, quickPlan } from './measure.mjs';
import { metrics, Samples } from './metrics.mjs';
import { parseOptions, usage } from './options.mjs';
import { prepare } from './prepare.mjs';

process.on('exit', closeHosts);
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

const options = parseOptions(process.argv.slice(2));
if (options.help) {
  process.stdout.write(`${usage}\n`);
  process.exit();
}
prepare(options.contenders);
const samples = new Samples();
await measure(options, options.quick ? quickPlan : fullPlan, samples, (t, p) => process.stderr.write(`${t} ${p ?? ''}\n`));
for (const metric of metrics) {
  console.log(metric.label);
  for (const { id, label } of options.contenders) {
    const s = samples.summary(metric.id, id);
    if (s) console.log('   ', label.padEnd(25), s.median.toFixed(1).padStart(12), `±${(s.spread * 100).toFixed(0)}%`, samples.ratio(metric.id, id, 'minimal')?.toFixed(2));
  }
}
process.exit();
