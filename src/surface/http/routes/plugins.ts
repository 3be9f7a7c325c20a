// Plugins: what they are, how they are, their logs; and starting and stopping them.
import type { KeptRecord } from '../../../fleet/plugin/logs/log-book.ts';
import type { Exchange } from '../exchange.ts';
import type { Route } from '../router.ts';
import type { RouteParts } from './parts.ts';

export function pluginRoutes({ api, streams }: RouteParts): Route[] {
  const change = (action: 'start' | 'stop' | 'restart'): Route => ({
    method: 'POST',
    path: `/api/v1/plugins/{name}/${action}`,
    async handle(exchange) {
      await exchange.body();
      exchange.json(await api[action](exchange.param('name')));
    },
  });
  return [
    {
      method: 'GET',
      path: '/api/v1/health',
      isOpen: true,
      async handle(exchange) {
        const health = await api.health();
        exchange.json(exchange.isTrusted ? health : { status: health.status });
      },
    },
    {
      method: 'GET',
      path: '/api/v1/plugins',
      handle: async (exchange) => exchange.json(await api.plugins({ fresh: exchange.flag('fresh') })),
    },
    {
      method: 'GET',
      path: '/api/v1/plugins/{name}',
      handle: async (exchange) =>
        exchange.json(await api.plugin(exchange.param('name'), { ask: exchange.flag('ask') })),
    },
    change('start'),
    change('stop'),
    change('restart'),
    {
      method: 'GET',
      path: '/api/v1/plugins/{name}/logs',
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
