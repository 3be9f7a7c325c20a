// How a plugin is, by its author's own check.
import { isJsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import { late, within } from '../../base/within.ts';
import type { Definition } from '../definition.ts';
import { failureOf } from '../failure.ts';
import type { Health } from '../manifest.ts';
import { plainJson } from './plain-json.ts';
import type { Readiness } from './readiness.ts';
import type { Surroundings } from './surroundings.ts';

/** Hosts give up on a health check after 3 s. */
const HEALTH_MS = 2500;

/** Never rejects. */
export async function healthOf(
  { name, health }: Definition,
  readiness: Readiness,
  { clock }: Surroundings,
): Promise<Health> {
  if (readiness.failure !== undefined) return { status: 'error', message: readiness.failure };
  if (health === undefined) return { status: 'ok' };
  try {
    const told: unknown = await within((async () => health())(), HEALTH_MS, clock);
    if (told !== late) return readHealth(name, told);
    return {
      status: 'degraded',
      message: `The health check of plugin "${name}" takes longer than ${HEALTH_MS} ms.`,
    };
  } catch (thrown) {
    return { status: 'error', message: failureOf(thrown).message };
  }
}

function readHealth(name: string, told: unknown): Health {
  const plain = plainJson(told, 'it');
  const { status, message, details } = 'json' in plain && isJsonObject(plain.json) ? plain.json : {};
  if (status !== 'ok' && status !== 'degraded' && status !== 'error')
    return {
      status: 'error',
      message: `The health check of plugin "${name}" gave ${shown(told)}; expected { status: "ok" | "degraded" | "error" }.`,
    };
  return {
    status,
    ...(typeof message === 'string' ? { message } : {}),
    ...(details === undefined ? {} : { details }),
  };
}
