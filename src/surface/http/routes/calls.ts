// Tools and commands, and calls of them.
import { isOwner } from '../../../definition/caller.ts';
import type { Route } from '../router.ts';
import { notFound } from '../problem.ts';
import { argsIn, callOptions } from './fields.ts';
import type { RouteParts } from './parts.ts';

export function callRoutes({ api, calls }: RouteParts): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/tools',
      needs: 'api-read',
      handle: async (exchange) => {
        const { caller } = exchange;
        exchange.json({ tools: await api.tools({ ask: exchange.acts('ask'), caller }) });
      },
    },
    {
      method: 'GET',
      path: '/api/v1/tools/{name}',
      // It may start a plugin that rests.
      needs: 'api',
      handle: async (exchange) =>
        exchange.json(await api.tool(exchange.param('name'), { caller: exchange.caller })),
    },
    {
      method: 'POST',
      path: '/api/v1/tools/{name}/call',
      needs: 'api',
      async handle(exchange) {
        calls.checkRoom();
        const body = await exchange.body();
        const options = callOptions(body, exchange);
        await calls.answer(exchange, api.call(exchange.param('name'), argsIn(body), options));
      },
    },
    {
      method: 'POST',
      path: '/api/v1/tools/{name}/explain',
      needs: 'api',
      async handle(exchange) {
        const body = await exchange.body();
        const { caller } = callOptions(body, exchange);
        // The user asks about others.
        const about = body['caller'] === undefined && isOwner(caller) ? {} : { caller };
        exchange.json(await api.explain(exchange.param('name'), argsIn(body), about));
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/calls/{id}',
      needs: 'api',
      handle(exchange) {
        if (!calls.cancel(exchange.param('id'), exchange.caller))
          throw notFound('No call of this id is under way.');
        exchange.empty();
      },
    },
    {
      method: 'GET',
      path: '/api/v1/commands',
      needs: 'api-read',
      handle: async (exchange) => {
        const { caller } = exchange;
        exchange.json({ commands: await api.commands({ ask: exchange.acts('ask'), caller }) });
      },
    },
    {
      method: 'GET',
      path: '/api/v1/commands/{name}',
      needs: 'api',
      handle: async (exchange) =>
        exchange.json(await api.command(exchange.param('name'), { caller: exchange.caller })),
    },
    {
      method: 'POST',
      path: '/api/v1/commands/{name}/run',
      needs: 'api',
      async handle(exchange) {
        calls.checkRoom();
        const body = await exchange.body();
        const options = callOptions(body, exchange);
        await calls.answer(exchange, api.run(exchange.param('name'), argsIn(body), options));
      },
    },
    {
      method: 'GET',
      path: '/api/v1/commands/{name}/complete',
      needs: 'api',
      async handle(exchange) {
        const { caller } = exchange;
        const [parameter = '', typed = ''] = [exchange.text('parameter'), exchange.text('typed')];
        exchange.json({ values: await api.complete(exchange.param('name'), parameter, typed, { caller }) });
      },
    },
  ];
}
