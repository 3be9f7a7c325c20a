// The health of several plugins as that of one: it is as well as its worst part.
import type { JsonObject } from '../../base/json.ts';
import type { Health } from '../../definition/manifest.ts';
import type { Plugin } from '../plugin/plugin.ts';

export async function healthOf(plugins: readonly Plugin[]): Promise<Health> {
  const [first, ...others] = plugins;
  if (first !== undefined && others.length === 0) return first.health();
  const asked = await Promise.all(
    plugins.map(async (plugin) => ({ name: plugin.name, health: await plugin.health() })),
  );
  const worst = order.find((status) => asked.some(({ health }) => health.status === status)) ?? 'ok';
  const unwell = asked.filter(({ health }) => health.status !== 'ok');
  return {
    status: worst,
    ...(unwell.length === 0
      ? {}
      : {
          message: unwell.map(({ name, health }) => `${name}: ${health.message ?? health.status}`).join('; '),
        }),
    details: Object.fromEntries(asked.map(({ name, health }) => [name, asJson(health)])),
  };
}

const order = ['error', 'degraded', 'ok'] as const;

function asJson({ status, message, details }: Health): JsonObject {
  return {
    status,
    ...(message === undefined ? {} : { message }),
    ...(details === undefined ? {} : { details }),
  };
}
