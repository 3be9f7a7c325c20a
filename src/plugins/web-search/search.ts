// One search: the request of the engine that was chosen, its answer, and what went wrong in words.
import { fail, isFailure } from '../../definition/failure.ts';
import type { Engine, EngineAnswer, Found, Query } from './engine.ts';
import { brave } from './engines/brave.ts';
import { duckduckgo } from './engines/duckduckgo.ts';
import { searxng } from './engines/searxng.ts';
import { fetchAnswer, type FetchOptions } from './fetch-answer.ts';
import type { Settings } from './settings.ts';

/** Adding an engine is a file and a line here, and its name in the schema of the configuration. */
const engines: Readonly<Record<Settings['engine'], Engine>> = { duckduckgo, searxng, brave };

/** @throws Failure */
export async function search(
  query: Query,
  settings: Settings,
  around: Pick<FetchOptions, 'fetch' | 'clock' | 'signal'>,
): Promise<readonly Found[]> {
  const engine = engines[settings.engine];
  const answer = await fetchAnswer(engine.request(query, settings), {
    ...around,
    timeoutMs: settings.timeoutMs,
    engine: engine.name,
  });
  if (answer.status < 200 || answer.status > 299) return refused(engine, answer);
  try {
    return await engine.read(answer);
  } catch (thrown) {
    if (isFailure(thrown)) throw thrown;
    // Of what a parser says about markup that is no markup, nothing helps anybody.
    return fail({ code: 'UNAVAILABLE', message: `The answer of ${engine.name} could not be read.` });
  }
}

function refused(engine: Engine, { status, retryAfter = '' }: EngineAnswer): never {
  const own = engine.failure?.(status);
  if (own !== undefined) return fail(own);
  if (status === 429) {
    const when = /^\d{1,6}$/.test(retryAfter) ? `in ${retryAfter} s` : 'in some minutes';
    return fail({
      code: 'RATE_LIMITED',
      message: `${engine.name} says that it is asked too often. Try again ${when}.`,
      recoverable: true,
    });
  }
  const wayOut =
    status >= 500 ? 'Try again later.' : 'See "base_url" in the configuration of plugin "web_search".';
  return fail({
    code: 'UNAVAILABLE',
    message: `${engine.name} answered with HTTP ${status}. ${wayOut}`,
    recoverable: status >= 500,
  });
}
