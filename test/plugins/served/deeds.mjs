// What the plugins of this folder can do, whatever dialect they speak. Each says as much of it as its dialect has words for.
import { setTimeout as wait } from 'node:timers/promises';

/** The tools with what is to be known of them. */
export const tools = [
  {
    name: 'greet',
    description: 'Greets somebody.',
    schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
  { name: 'fail', description: 'Fails.', schema: { type: 'object' } },
  { name: 'wait', description: 'Waits for ever.', schema: { type: 'object' } },
  { name: 'crash', description: 'Ends the process.', schema: { type: 'object' } },
];

/** For those whose dialect has a number for being asked too often. */
export const hurry = { name: 'hurry', description: 'Is asked too often.', schema: { type: 'object' } };

/** What `fail` says. */
export const failure = {
  message: 'No more today.',
  reason: 'OutOfGreetings',
  details: 'There were ten of them.',
  suggestions: ['Come back tomorrow.'],
};

/** The log that every deed begins with. */
export function beginning(/** @type {string} */ tool) {
  return `${tool} begins`;
}

/** In two pieces, for those who stream; its first word can be configured, where the dialect has words for that. */
export function greeting(/** @type {string} */ name, /** @type {unknown} */ word = 'Hello') {
  return [`${String(word)}, `, `${name}!`];
}

/** For ever, as far as a test can see. */
export async function never() {
  await wait(600_000);
}

export function crash() {
  process.stderr.write('about to crash\n');
  process.exit(7);
}
