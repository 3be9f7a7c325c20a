// fetch that stays with whom it was sent to. The system's own hands most headers, and all that is said, to whatever address a server names.
import { PluglotError } from '../../base/error.ts';

/** Follows a server to another path of its own, never to another server. */
export function faithfulFetch(
  pluginName: string,
): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  return async (input, init) => {
    let address = new URL(input instanceof Request ? input.url : input);
    for (let hops = 0; ; hops += 1) {
      const response = await fetch(hops === 0 ? input : address, { ...init, redirect: 'manual' });
      const location = response.headers.get('location');
      if (!REDIRECTS.has(response.status) || location === null) return response;
      await response.body?.cancel();
      const next = URL.canParse(location, address.href) ? new URL(location, address) : undefined;
      const isOwn = next !== undefined && next.origin === address.origin;
      // Others mean that what was posted is over, and something else is to be read.
      const isSame = response.status === 307 || response.status === 308;
      if (!isOwn || !isSame || hops === HOPS_MAX) throw astray(pluginName, response.status, next);
      address = next;
    }
  };
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const HOPS_MAX = 5;

function astray(pluginName: string, status: number, next: URL | undefined): PluglotError {
  return new PluglotError(
    'UNAVAILABLE',
    `Plugin "${pluginName}" sends us elsewhere (HTTP ${status}, to ${next?.origin ?? 'no address'}), and what is meant for it is not given to others. Correct "url".`,
  );
}
