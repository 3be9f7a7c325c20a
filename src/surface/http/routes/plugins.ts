// Plugins: what they are, how they are, their logs; and starting and stopping them.
import { isOwner } from '../../../definition/caller.ts';
import type { KeptRecord } from '../../../fleet/plugin/logs/log-book.ts';
import type { PluginDetails } from '../../../runtime/api.ts';
import { isOpen } from '../access.ts';
import type { Exchange } from '../exchange.ts';
import type { Route } from '../router.ts';
import type { RouteParts } from './parts.ts';

export function pluginRoutes({ api, streams }: RouteParts): Route[] {
  const change = (action: 'start' | 'stop' | 'restart'): Route => ({
    method: 'POST',
    path: `/api/v1/plugins/{name}/${action}`,
    needs: 'api',
    async handle(exchange) {
      await exchange.body();
      exchange.json(await api[action](exchange.param('name')));
    },
  });
  return [
    {
      method: 'GET',
      path: '/api/v1/health',
      needs: 'nothing',
      async handle(exchange) {
        const health = await api.health();
        const isKnown = exchange.access !== undefined && isOpen(exchange.access, 'api-read');
        exchange.json(isKnown ? health : { status: health.status });
      },
    },
    {
      method: 'GET',
      path: '/api/v1/plugins',
      needs: 'api-read',
      handle: async (exchange) => exchange.json(await api.plugins({ fresh: exchange.acts('fresh') })),
    },
    {
      method: 'GET',
      path: '/api/v1/plugins/{name}',
      needs: 'api-read',
      async handle(exchange) {
        const details = await api.plugin(exchange.param('name'), { ask: exchange.acts('ask') });
        exchange.json(isOwner(exchange.caller) ? details : forClients(details));
      },
    },
    change('start'),
    change('stop'),
    change('restart'),
    {
      method: 'GET',
      path: '/api/v1/plugins/{name}/logs',
      needs: 'api-read',
      async handle(exchange) {
        const name = exchange.param('name');
        const [since, after] = [exchange.count('since'), exchange.count('after')];
        const options = { ...(since !== undefined && { since }), ...(after !== undefined && { after }) };
        if (!exchange.wantsEvents || exchange.isHead)
          return exchange.json({ entries: await all(api.logs(name, options)) });
        // A plugin that nobody knows is told of before the stream begins.
        await all(api.logs(name, { since: Number.MAX_SAFE_INTEGER }));
        const gone = new AbortController();
        exchange.response.once('close', () => gone.abort());
        const entries = api.logs(name, { ...options, follow: exchange.flag('follow'), signal: gone.signal });
        await streams.run(exchange.response, () => follow(exchange, entries));
      },
    },
  ];
}

function forClients(details: PluginDetails): PluginDetails {
  const isOffered = ({ clients }: { readonly clients: boolean }) => clients;
  return { ...details, tools: details.tools.filter(isOffered), commands: details.commands.filter(isOffered) };
}

async function follow(exchange: Exchange, entries: AsyncIterable<KeptRecord>): Promise<void> {
  const events = exchange.events();
  for await (const entry of entries) await events.send('log', entry);
  events.end();
}

async function all(entries: AsyncIterable<KeptRecord>): Promise<KeptRecord[]> {
  const found: KeptRecord[] = [];
  for await (const entry of entries) found.push(entry);
  return found;
}
