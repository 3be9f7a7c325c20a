// What holds of `gate.limits` where no file says it, so that one client cannot keep the plugins from all others.
import type { GateLimits, LimitTable } from '../gate/limits/limit-options.ts';

const SESSION = 32;
const CLIENTS = 256;

/** After all files were read: what somebody wrote for each caller holds for clients, too. */
export function withUsualLimits(limits: GateLimits): GateLimits {
  const { concurrent = {} } = limits;
  return {
    ...limits,
    concurrent: {
      session: SESSION,
      ...concurrent,
      ...(!saysClients(concurrent) && { callers: { ...concurrent.callers, client: CLIENTS } }),
    },
  };
}

/** What a file that nobody trusts says after these: not more than what would hold without it. */
export function underUsualLimits(next: GateLimits, before: GateLimits): GateLimits {
  const { concurrent } = next;
  if (concurrent === undefined) return next;
  const { session, caller, callers = {} } = concurrent;
  const known = before.concurrent ?? {};
  const lower = (limit: number) => Math.min(limit, saysClients(known) ? Infinity : CLIENTS);
  return {
    ...next,
    concurrent: {
      ...concurrent,
      ...(session !== undefined && { session: Math.min(session, known.session ?? SESSION) }),
      ...(caller !== undefined && { caller: lower(caller) }),
      ...(concurrent.callers !== undefined && {
        callers: Object.fromEntries(Object.entries(callers).map(([name, limit]) => [name, lower(limit)])),
      }),
    },
  };
}

function saysClients({ caller, callers = {} }: LimitTable): boolean {
  return caller !== undefined || Object.hasOwn(callers, 'client');
}
