// Judges the promises by the samples of a run.
import { contenders } from './contenders/index.mjs';
import { metrics } from './metrics.mjs';
import { promises } from './promises.mjs';

/** @typedef {import('./contenders/index.mjs').Contender} Contender */
/** @typedef {import('./metrics.mjs').Samples} Samples */
/**
 * @typedef {object} Verdict
 * @property {string} promise
 * @property {string} contender
 * @property {string} contenderLabel
 * @property {string} metric
 * @property {number | undefined} measured
 * @property {'x' | 'KiB'} unit
 * @property {string} [against] the peer that was hardest to match
 * @property {boolean} holds
 */

/**
 * A figure that is missing counts as a broken promise, unless its section was not asked for.
 * @param {Samples} samples
 * @param {readonly import('./options.mjs').Section[]} sections
 * @returns {Verdict[]}
 */
export function judge(samples, sections) {
  const measured = metrics.filter(({ section }) => sections.includes(section)).map(({ id }) => id);
  const asked = promises.filter(({ metric }) => measured.includes(metric));
  return asked.flatMap((promise) =>
    contenders.filter(({ kind }) => kind === 'us').map((contender) => judgeOne(promise, contender, samples)),
  );
}

/**
 * Where a broken promise was at least measured; one that was not will not be mended by measuring again.
 * @param {readonly Verdict[]} verdicts
 */
export function sectionsInDoubt(verdicts) {
  const broken = verdicts
    .filter(({ holds, measured }) => !holds && measured !== undefined)
    .map(({ metric }) => metric);
  return [...new Set(metrics.filter(({ id }) => broken.includes(id)).map(({ section }) => section))];
}

/**
 * @param {import('./promises.mjs').Promised} promise
 * @param {Contender} contender
 * @param {Samples} samples
 * @returns {Verdict}
 */
function judgeOne(promise, contender, samples) {
  const { text, metric, against, atLeast = -Infinity, atMost = Infinity, below = Infinity } = promise;
  const hardest = against === undefined ? undefined : hardestPeer(samples, metric, contender.id, against);
  const measured = against === undefined ? samples.summary(metric, contender.id)?.median : hardest?.ratio;
  return {
    promise: text,
    contender: contender.id,
    contenderLabel: contender.label,
    metric,
    measured,
    unit: against === undefined ? 'KiB' : 'x',
    ...(hardest === undefined ? {} : { against: hardest.peer }),
    holds: measured !== undefined && measured >= atLeast && measured <= atMost && measured < below,
  };
}

/**
 * @param {Samples} samples
 * @param {string} metric
 * @param {string} contender
 * @param {string} against a contender, or `best-json`
 */
export function hardestPeer(samples, metric, contender, against) {
  const peers =
    against === 'best-json'
      ? contenders.filter(({ id, kind }) => kind === 'json' && id !== contender).map(({ id }) => id)
      : [against];
  const ratios = peers.flatMap((peer) => {
    const ratio = samples.ratio(metric, contender, peer);
    return ratio === undefined ? [] : [{ peer, ratio }];
  });
  return ratios.sort((a, b) => a.ratio - b.ratio)[0];
}
