// results.md
import { formatDisturbance, formatMeasured } from './terminal.mjs';
import { tables } from './tables.mjs';

/** @typedef {{ date: string, quick: boolean, machine: ReturnType<typeof import('../machine.mjs').describeMachine> }} Circumstances */

/**
 * @param {import('../measure.mjs').Run} run
 * @param {readonly import('../gate.mjs').Verdict[]} verdicts
 * @param {Circumstances} circumstances
 */
export function markdownReport(run, verdicts, { date, machine }) {
  const { processor, cores, memoryGiB, system, node, aloneOnOneProcessor } = machine;
  return `# How fast the channel is

Measured by \`npm run bench\` on ${date}: Node ${node}, ${cores} cores (${processor}), ${memoryGiB} GiB, ${system}.
Other programs used ${formatDisturbance(run.disturbances)} of the processors.

Both ends are Node processes; every contender has a host process of its own, and all are measured in turn in short
windows. A figure is the median of its windows, ± half of the range between the quartiles. A ratio (x) is the median over
the rounds of two windows of the same round: machines differ, ratios hold.${
    aloneOnOneProcessor
      ? `
Calls alone run with both ends on one processor: on two, waking the other adds up to 100 µs or not, by chance.`
      : ''
  }

![The figures as a chart](results.svg)

${tables(run)
  .map(({ title, note, columns, rows }) =>
    [
      `## ${title}`,
      note,
      '',
      row(['', ...columns]),
      row(['---', ...columns.map(() => '---:')]),
      ...rows.map(({ contender, cells }) =>
        row([contender.kind === 'us' ? `**${contender.label}**` : contender.label, ...cells]),
      ),
    ].join('\n'),
  )
  .join('\n\n')}

## Promises
\`npm run bench -- --gate\` fails when one of them is broken.

${row(['promise', 'framing', 'measured', ''])}
${row(['---', '---', '---:', '---'])}
${verdicts.map((each) => row([each.promise, each.contenderLabel.replace('pluglot, ', ''), formatMeasured(each), each.holds ? 'ok' : '**FAILED**'])).join('\n')}
`;
}

/** @param {readonly string[]} cells */
function row(cells) {
  return `| ${cells.join(' | ')} |`;
}
