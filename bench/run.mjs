// `npm run bench`: measures our channel and its peers, prints the table, judges the promises, writes the results.
import process from 'node:process';
import { endpointContenders } from './contenders/index.mjs';
import { inDoubt, judge } from './gate.mjs';
import { closeHosts } from './host-process.mjs';
import { describeMachine } from './machine.mjs';
import { measure, planOf } from './measure.mjs';
import { Samples } from './metrics.mjs';
import { parseOptions, usage } from './options.mjs';
import { prepare } from './prepare.mjs';
import { createProgress } from './progress.mjs';
import { jsonReport } from './report/json.mjs';
import { terminalReport } from './report/terminal.mjs';
import { writeResults } from './report/write.mjs';

// Noise can break a narrow promise: those between whom it stands are measured again, in new processes, since how a process
// lies in memory is a part of the noise; and it is judged over all windows, old and new.
const furtherLooks = 2;

/** Exit codes: 0 done, 1 a promise is broken or a contender failed, 2 wrong usage. */
process.exitCode = await main().catch((/** @type {unknown} */ error) => {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
});
closeHosts();

async function main() {
  let options;
  try {
    options = parseOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}\n`);
    return 2;
  }
  if (options.help) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }

  process.on('exit', closeHosts);
  process.on('SIGINT', () => process.exit(130));
  process.on('SIGTERM', () => process.exit(143));

  prepare([...options.contenders, ...(options.sections.includes('endpoint') ? endpointContenders : [])]);
  const circumstances = {
    date: new Date().toISOString().slice(0, 10),
    quick: options.quick,
    machine: describeMachine(),
  };
  const progress = createProgress();
  const run = {
    contenders: options.contenders,
    sections: options.sections,
    plan: planOf(options.quick, options.contenders),
    samples: new Samples(),
    progress: progress.show,
    /** @type {number[]} */
    disturbances: [],
  };
  await measure(run);
  let verdicts = judge(run.samples, options.sections);
  for (let again = 0; options.gate && again < furtherLooks; again++) {
    const doubtful = inDoubt(verdicts);
    if (doubtful.sections.length === 0) break;
    run.samples.beginPass();
    await measure({ ...run, ...doubtful });
    verdicts = judge(run.samples, options.sections);
  }
  progress.clear();

  // Without the gate, what was not measured is no news.
  const shown = verdicts.filter(({ measured }) => options.gate || measured !== undefined);
  if (options.json) {
    process.stdout.write(`${JSON.stringify(jsonReport(run, verdicts, circumstances), undefined, 2)}\n`);
  } else {
    process.stdout.write(terminalReport(run, shown, process.stdout.isTTY));
  }
  if (options.write) writeResults(run, verdicts, circumstances);
  return options.gate && verdicts.some(({ holds }) => !holds) ? 1 : 0;
}
