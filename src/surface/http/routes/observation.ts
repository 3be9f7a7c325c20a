// What is kept of the past: messages on the wires, recordings, the audit log.
import type { Route } from '../router.ts';
import { textIn } from './fields.ts';
import type { RouteParts } from './parts.ts';

export function observationRoutes({ api }: RouteParts): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/traffic',
      needs: 'api-read',
      async handle(exchange) {
        const limit = exchange.count('limit');
        const texts = (['plugin', 'call', 'trace'] as const).flatMap((name) => {
          const text = exchange.text(name);
          return text === undefined ? [] : [[name, text] as const];
        });
        const filter = { ...Object.fromEntries(texts), ...(limit !== undefined && { limit }) };
        exchange.json(await api.traffic.since(exchange.count('since') ?? 0, filter));
      },
    },
    {
      method: 'GET',
      path: '/api/v1/traffic/cassette',
      needs: 'api-read',
      async handle(exchange) {
        const text = await api.traffic.cassette(exchange.text('plugin') ?? '');
        exchange.response.setHeader('content-disposition', 'attachment; filename="cassette.jsonl"');
        exchange.send(200, text, 'application/jsonl; charset=utf-8');
      },
    },
    {
      method: 'GET',
      path: '/api/v1/recordings',
      needs: 'api-read',
      handle: async (exchange) => exchange.json({ recordings: await api.recordings.list() }),
    },
    {
      method: 'POST',
      path: '/api/v1/recordings',
      needs: 'user',
      async handle(exchange) {
        const body = await exchange.body();
        const file = body['file'] === undefined ? undefined : textIn(body, 'file');
        exchange.json(await api.recordings.start(textIn(body, 'plugin'), file), 201);
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/recordings/{id}',
      needs: 'user',
      handle: async (exchange) => exchange.json(await api.recordings.stop(exchange.param('id'))),
    },
    {
      method: 'GET',
      path: '/api/v1/audit',
      needs: 'api-read',
      async handle(exchange) {
        const text = (name: 'tool' | 'plugin' | 'caller') => {
          const value = exchange.text(name);
          return value === undefined || value === '' ? {} : { [name]: value };
        };
        const [since, limit] = [exchange.count('since'), exchange.count('limit')];
        exchange.json(
          await api.audit({
            ...text('tool'),
            ...text('plugin'),
            ...text('caller'),
            ...(since !== undefined && { since }),
            ...(limit !== undefined && { limit }),
            denied: exchange.flag('denied'),
            verify: exchange.flag('verify'),
          }),
        );
      },
    },
  ];
}
