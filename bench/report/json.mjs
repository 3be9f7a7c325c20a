// A run for programs.
import { cliContenders, fleetContenders, registryContenders, startContenders } from '../contenders/index.mjs';
import { metrics } from '../metrics.mjs';

/**
 * @param {import('../measure.mjs').Run} run
 * @param {readonly import('../gate.mjs').Verdict[]} verdicts
 * @param {object} circumstances
 */
export function jsonReport({ samples, contenders, sections, disturbances }, verdicts, circumstances) {
  const own = new Map(
    Object.entries({
      fleet: fleetContenders,
      sdk: startContenders,
      cli: cliContenders,
      registry: registryContenders,
    }),
  );
  /** @param {import('../options.mjs').Section} section */
  const of = (section) => own.get(section) ?? contenders;
  const measured = metrics.filter(({ section }) => sections.includes(section));
  return {
    ...circumstances,
    othersUsedOfTheProcessors: disturbances,
    metrics: measured.map(({ id, section, label, unit, better }) => ({
      id,
      label,
      unit,
      better,
      contenders: Object.fromEntries(
        of(section).map((contender) => [
          contender.id,
          {
            ...samples.summary(id, contender.id),
            failure: samples.failure(id, contender.id),
            ratios: Object.fromEntries(
              of(section).map((other) => [other.id, samples.ratio(id, contender.id, other.id)]),
            ),
          },
        ]),
      ),
    })),
    promises: verdicts,
  };
}
