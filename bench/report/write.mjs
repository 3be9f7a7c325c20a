// Keeps a run in the repository: results.md for reading, results.svg for looking.
import { writeFileSync } from 'node:fs';
import { chart } from './chart.mjs';
import { markdownReport } from './markdown.mjs';

/**
 * @param {import('../measure.mjs').Run} run
 * @param {readonly import('../gate.mjs').Verdict[]} verdicts
 * @param {import('./markdown.mjs').Circumstances} circumstances
 */
export function writeResults(run, verdicts, circumstances) {
  writeFileSync(new URL('../results.md', import.meta.url), markdownReport(run, verdicts, circumstances));
  writeFileSync(new URL('../results.svg', import.meta.url), chart(run, circumstances));
}
