// Judges the promises by the samples of a run.
import {
  cliContenders,
  contenders,
  endpointContenders,
  fleetContenders,
  registryContenders,
  startContenders,
} from './contenders/index.mjs';
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
 * @property {string} unit
 * @property {string} [against] the peer that was hardest to match
 * @property {readonly string[]} ahead the peers beside which it does not hold
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
    [
      ...contenders,
      ...fleetContenders,
      ...startContenders,
      ...cliContenders,
      ...registryContenders,
      ...endpointContenders,
    ]
      .filter(({ kind }) => kind === (promise.of ?? 'us'))
      .map((contender) => judgeOne(promise, contender, samples)),
  );
}

/**
 * Between whom a broken promise stands, and where. One that was not measured at all will not be mended by measuring again.
 * @param {readonly Verdict[]} verdicts
 */
export function inDoubt(verdicts) {
  const broken = verdicts.filter(({ holds, measured }) => !holds && measured !== undefined);
  const sections = metrics.filter(({ id }) => broken.some(({ metric }) => metric === id));
  const ids = broken.flatMap(({ contender, ahead }) => [contender, ...ahead]);
  return {
    sections: [...new Set(sections.map(({ section }) => section))],
    contenders: contenders.filter(({ id }) => ids.includes(id)),
  };
}

/**
 * @param {import('./promises.mjs').Promised} promise
 * @param {Contender} contender
 * @param {Samples} samples
 * @returns {Verdict}
 */
function judgeOne(promise, contender, samples) {
  const { text, metric, against, atLeast = -Infinity, atMost = Infinity, below = Infinity } = promise;
  const holds = (/** @type {number} */ value) => value >= atLeast && value <= atMost && value < below;
  const peers = against === undefined ? [] : peersByRatio(samples, metric, contender.id, against);
  const hardest = peers[0];
  const measured = against === undefined ? samples.summary(metric, contender.id)?.median : hardest?.ratio;
  return {
    promise: text,
    contender: contender.id,
    contenderLabel: contender.label,
    metric,
    measured,
    unit: against === undefined ? (metrics.find(({ id }) => id === metric)?.unit ?? '') : 'x',
    ...(hardest === undefined ? {} : { against: hardest.peer }),
    ahead: peers.filter(({ ratio }) => !holds(ratio)).map(({ peer }) => peer),
    holds: measured !== undefined && holds(measured),
  };
}

/**
 * The one beside which we look worst.
 * @param {Samples} samples
 * @param {string} metric
 * @param {string} contender
 * @param {string} against a contender, or `best-json`
 */
export function hardestPeer(samples, metric, contender, against) {
  return peersByRatio(samples, metric, contender, against)[0];
}

/**
 * @param {Samples} samples
 * @param {string} metric
 * @param {string} contender
 * @param {string} against
 */
function peersByRatio(samples, metric, contender, against) {
  const peers =
    against === 'best-json'
      ? contenders.filter(({ id, kind }) => kind === 'json' && id !== contender).map(({ id }) => id)
      : [against];
  const ratios = peers.flatMap((peer) => {
    const ratio = samples.ratio(metric, contender, peer);
    return ratio === undefined ? [] : [{ peer, ratio }];
  });
  return ratios.sort((a, b) => a.ratio - b.ratio);
}
