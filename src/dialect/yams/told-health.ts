// What an author end answers to plugin.health: always something, and in time.
import type { Clock } from '../../base/clock.ts';
import { toError } from '../../base/error.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { MiB } from '../../base/limits.ts';
import { late, within } from '../../base/within.ts';
import type { Backend } from '../../definition/backend.ts';
import type { Health } from '../../definition/manifest.ts';

/** The real host waits for 3 s. */
const HEALTH_MS = 2500;

/** What the author tells wins over what can be told of any process. */
export async function toldHealth(
  backend: Pick<Backend, 'health'>,
  clock: Clock,
  now: { readonly started: boolean; readonly uptimeMs: number },
): Promise<JsonObject> {
  const { status, message, details } = await healthOf(backend, clock);
  return {
    started: now.started,
    uptime_sec: Math.floor(now.uptimeMs / 1000),
    memory_mb: Math.round(process.memoryUsage.rss() / MiB),
    ...(isJsonObject(details) ? details : {}),
    ...(message === undefined ? {} : { message }),
    status,
  };
}

async function healthOf(backend: Pick<Backend, 'health'>, clock: Clock): Promise<Health> {
  try {
    const health = await within(backend.health(), HEALTH_MS, clock);
    if (health !== late) return health;
    return { status: 'degraded', message: `The plugin did not tell its health within ${HEALTH_MS} ms.` };
  } catch (thrown) {
    return { status: 'error', message: toError(thrown).message };
  }
}
