// The command line of the bench, resolved once.
import { parseArgs } from 'node:util';
import { contenders } from './contenders/index.mjs';

export const sections = /** @type {const} */ ([
  'small',
  'payload',
  'notifications',
  'children',
  'memory',
  'fleet',
  'sdk',
  'cli',
  'registry',
  'endpoint',
]);

/** @typedef {typeof sections[number]} Section */

export const usage = `Usage: npm run bench -- [options]

Measures pluglot's channel beside its peers, interleaved, and prints medians, spread and ratios.

  --quick               a fast run with few and short windows, without memory
  --only SECTIONS       some of ${sections.join(',')}
  --contenders IDS      some of ${contenders.map((each) => each.id).join(',\n                        ')}
  --gate                exit 1 when a promise of bench/promises.mjs does not hold
  --json                only JSON on standard output
  --write, --no-write   write results.md and results.svg or not (a full run writes them)
  --help

Example, for tuning:  npm run bench -- --quick --only small --contenders minimal,pluglot-lines`;

/** @typedef {ReturnType<typeof parseOptions>} Options */

/** @param {string[]} words */
export function parseOptions(words) {
  const { values } = parseArgs({
    args: words,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      contenders: { type: 'string' },
      gate: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      write: { type: 'boolean' },
      'no-write': { type: 'boolean' },
      help: { type: 'boolean', default: false },
    },
  });
  const full = !values.quick && values.only === undefined && values.contenders === undefined;
  return {
    quick: values.quick,
    gate: values.gate,
    json: values.json,
    help: values.help,
    write: values['no-write'] === true ? false : (values.write ?? full),
    sections: pick('--only', values.only, sections).filter(
      // Memory needs many idle children, which is not quick.
      (section) => section !== 'memory' || !values.quick || values.only !== undefined,
    ),
    contenders: contenders.filter((each) =>
      pick(
        '--contenders',
        values.contenders,
        contenders.map(({ id }) => id),
      ).includes(each.id),
    ),
  };
}

/**
 * @template {string} Name
 * @param {string} flag
 * @param {string | undefined} list
 * @param {readonly Name[]} known
 * @returns {readonly Name[]}
 */
function pick(flag, list, known) {
  if (list === undefined) return known;
  const asked = list.split(',').map((name) => name.trim());
  const strange = asked.find((name) => !known.some((each) => each === name));
  if (strange !== undefined)
    throw new Error(`${flag} does not know "${strange}"; it knows ${known.join(', ')}.`);
  return known.filter((name) => asked.includes(name));
}
