// The end of a plugin: what runs is given up, then the author may tidy up.
import { late, within } from '../../base/within.ts';
import type { Definition } from '../definition.ts';
import { failureOf } from '../failure.ts';
import type { CallFailure } from '../outcome.ts';
import type { LogLevel } from '../tool.ts';
import type { Jobs } from './jobs.ts';
import { stopped, type Readiness } from './readiness.ts';
import type { Surroundings } from './surroundings.ts';

const TEARDOWN_MS = 5000;

interface Parts {
  readonly life: AbortController;
  readonly jobs: Jobs;
  readonly readiness: Readiness;
  readonly surroundings: Surroundings;
}

/** Never rejects, and ends within 5 s. */
export async function takeDown(
  { name, teardown }: Definition,
  parts: Parts,
  why: CallFailure = failureOf(stopped(name)),
): Promise<void> {
  const { life, jobs, readiness, surroundings } = parts;
  life.abort();
  jobs.stopAll(why);
  if (teardown !== undefined && readiness.wasBegun) await tidyUp(name, teardown, surroundings);
  surroundings.flushPrints?.();
}

async function tidyUp(
  name: string,
  teardown: NonNullable<Definition['teardown']>,
  surroundings: Surroundings,
): Promise<void> {
  const log = (level: LogLevel, message: string) => surroundings.log({ level, message });
  try {
    const down = await within((async () => teardown())(), TEARDOWN_MS, surroundings.clock);
    if (down === late) log('warn', `The teardown of plugin "${name}" takes longer than ${TEARDOWN_MS} ms.`);
  } catch (thrown) {
    log('error', `The teardown of plugin "${name}" failed: ${failureOf(thrown).message}`);
  }
}
