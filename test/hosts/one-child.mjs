// A host as one would write it, on the built package, in a process of its own so that its memory is its own:
// node one-child.mjs SCENARIO FIXTURE FRAMING runs one scenario against one child and prints what happened as JSON.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { childPipe, framedLink, lengthPrefix, lines, Peer } from '../../dist/channel/index.js';

/**
 * @typedef {import('../../dist/channel/index.js').Ending} Ending
 * @typedef {import('../../dist/channel/index.js').PeerOptions} PeerOptions
 * @typedef {import('../../dist/channel/index.js').PeerStats} PeerStats
 * @typedef {import('../../dist/channel/index.js').PeerTrouble} PeerTrouble
 * @typedef {import('../../dist/channel/index.js').PluglotError} PluglotError
 * @typedef {{ value: unknown } | { code: unknown, message: string }} Outcome
 * @typedef {{ peer: Peer, child: import('node:child_process').ChildProcess, link: import('../../dist/channel/index.js').Link }} Setting
 */

/** What a scenario does, and how its peer is set up. */
/** @type {Record<string, { options?: PeerOptions, run: (setting: Setting) => Promise<unknown> }>} */
const scenarios = {
  /** Three calls, one after the other. */
  calls: {
    run: async ({ peer }) => {
      const outcomes = [];
      for (let i = 0; i < 3; i++)
        outcomes.push(await outcome(peer.request('work', { i }, { timeoutMs: 20_000 })));
      return outcomes;
    },
  },

  /** One call that the child is not known to answer. */
  'call with a limit of 1 s': {
    run: async ({ peer }) => [
      await outcome(peer.request('work', {}, { timeoutMs: 1000 })),
      await outcome(peer.request('work', {}, { timeoutMs: 20_000 })),
    ],
  },

  /** Three calls at once, the end of what this end has to say, and the answers. */
  'calls, then the end of stdin': {
    run: async ({ peer, link }) => {
      const calls = [1, 2, 3].map((i) => outcome(peer.request('work', { i })));
      await link.finish();
      return Promise.all(calls);
    },
  },

  /** 1 GiB of notifications from a sender that waits when it is told to; the child is killed while it waits. */
  'sends 1 GiB politely': {
    run: async ({ peer, child }) => {
      await whenReady(peer);
      const params = { text: 'x'.repeat(64 * 1024) };
      let sent = 0;
      const sending = (async () => {
        for (; sent < 16 * 1024; sent++) if (!peer.notify('log', params)) await peer.drained();
      })();
      const waits = await Promise.race([outcome(sending), settled(() => sent)]);
      child.kill('SIGKILL');
      return { waits, sentMiB: Math.round(sent / 16), sending: await outcome(sending) };
    },
  },

  /** The same from one that does not wait. */
  'sends 1 GiB carelessly': {
    run: async ({ peer }) => {
      await whenReady(peer);
      const params = { text: 'x'.repeat(64 * 1024) };
      let sent = 0;
      const sending = (async () => {
        for (; sent < 16 * 1024; sent++) peer.notify('log', params);
      })();
      return { sending: await outcome(sending), sentMiB: Math.round(sent / 16) };
    },
  },

  /** 1 GiB in requests, which wait by themselves. */
  'sends 1 GiB of requests': {
    run: async ({ peer, child }) => {
      await whenReady(peer);
      const params = { text: 'x'.repeat(64 * 1024) };
      const limited = outcome(peer.request('work', params, { timeoutMs: 1000 }));
      const calls = Array.from({ length: 16 * 1024 }, () => outcome(peer.request('work', params)));
      const late = outcome(peer.request('work', params, { timeoutMs: 1000 }));
      const { inFlight, waiting } = peer.stats();
      const timeLimits = [await limited, await late];
      child.kill('SIGKILL');
      return { inFlight, waiting, timeLimits, kinds: [...new Set((await Promise.all(calls)).map(asText))] };
    },
  },

  /** A small write to an end that reads nothing any more, until that is known. */
  'calls a child that closed its stdin': {
    run: async ({ peer }) => {
      await whenReady(peer);
      const first = await outcome(peer.request('work', {}, { timeoutMs: 1000 }));
      return [
        first,
        await outcome(peer.request('work', {}, { timeoutMs: 1000 })),
        await outcome(peer.drained()),
      ];
    },
  },

  /** Answers what the child asks, 10 KiB each. */
  'answers with 10 KiB': {
    options: { stallTimeoutMs: 1000 },
    run: async ({ peer }) => {
      const text = 'x'.repeat(10 * 1024);
      peer.handle('read', () => ({ text }));
      const call = outcome(peer.request('work'));
      return { call: await call, ending: describe(await peer.closed) };
    },
  },
};

const [, , scenarioName = '', fixture = '', framingName = 'lines'] = process.argv;
const scenario = scenarios[scenarioName];
if (!scenario) throw new Error(`No scenario "${scenarioName}".`);

const memory = watchMemory();
const child = spawn(process.execPath, [path.join(import.meta.dirname, '../plugins', fixture), framingName]);
const exited = once(child, 'exit');
let stderr = '';
child.stderr.on('data', (chunk) => (stderr += String(chunk)));

/** @type {Record<string, { count: number, size: number, first: string }>} */
const troubles = {};
const framing = framingName === 'lines' ? lines() : lengthPrefix();
const link = framedLink(childPipe(child), framing);
const peer = new Peer(link, {
  name: path.basename(fixture, '.mjs'),
  answerInvalid: false,
  onTrouble: note,
  ...scenario.options,
});
let notifications = 0;
peer.onNotification('log', () => (notifications += 1));

const result = await scenario.run({ peer, child, link });
await peer.close({ pending: 'abort', timeoutMs: 2000 });
const ending = await peer.closed;
child.kill('SIGKILL');
await exited;
const { inFlight, waiting, handling, duplicateResponses, unknownResponses, invalidMessages } = peer.stats();
console.log(
  JSON.stringify({
    result,
    ending: describe(ending),
    stderr,
    troubles,
    notifications,
    left: inFlight + waiting + handling,
    duplicateResponses,
    unknownResponses,
    invalidMessages,
    grownMiB: memory.grownMiB(),
  }),
);

/**
 * How a promise ended, as plain data.
 * @param {Promise<unknown>} promise
 * @returns {Promise<Outcome>}
 */
async function outcome(promise) {
  try {
    const value = await promise;
    return { value: typeof value === 'object' && value !== null ? 'an object' : value };
  } catch (thrown) {
    const { code, message } = /** @type {PluglotError} */ (thrown);
    return { code, message };
  }
}

/** @param {Outcome} outcome */
function asText(outcome) {
  return 'value' in outcome
    ? `answered ${String(outcome.value)}`
    : `${String(outcome.code)}: ${outcome.message}`;
}

/** @param {Ending} ending */
function describe(ending) {
  return ending.kind === 'failed' ? { ...ending, error: ending.error.message } : ending;
}

/** @param {PeerTrouble} trouble */
function note(trouble) {
  const first = 'text' in trouble ? trouble.text.slice(0, 100) : '';
  const size = 'size' in trouble ? trouble.size : 'text' in trouble ? trouble.text.length : 0;
  const noted = (troubles[trouble.kind] ??= { count: 0, size: 0, first });
  noted.count += 1;
  noted.size += size;
}

/** @param {Peer} peer */
function whenReady(peer) {
  return new Promise((resolve) => peer.onNotification('ready', resolve));
}

/**
 * Resolves when a number has not changed for half a second.
 * @param {() => number} measure
 * @returns {Promise<string>}
 */
function settled(measure) {
  return new Promise((resolve) => {
    let last = measure();
    const timer = setInterval(() => {
      if (measure() === last) {
        clearInterval(timer);
        resolve('for room');
      }
      last = measure();
    }, 500);
  });
}

/** Follows how much memory is resident, in MiB. The kernel knows the highest exactly; where it does not say, samples must do. */
function watchMemory() {
  const start = process.memoryUsage.rss();
  let highest = start;
  const timer = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 20);
  return {
    /** How much it has grown at the highest. */
    grownMiB() {
      clearInterval(timer);
      const status = fs.existsSync('/proc/self/status') ? fs.readFileSync('/proc/self/status', 'utf8') : '';
      const known = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
      return Math.round((Math.max(highest, known) - start) / 1024 / 1024);
    },
  };
}
