// Tools and commands, and calls of them.
import type { Route } from '../router.ts';
import { notFound } from '../problem.ts';
import { argsIn, callOptions } from './fields.ts';
import type { RouteParts } from './parts.ts';

export function callRoutes({ api, calls }: RouteParts): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/tools',
      handle: async (exchange) => exchange.json({ tools: await api.tools({ ask: exchange.flag('ask') }) }),
    },
    {
      method: 'GET',
      path: '/api/v1/tools/{name}',
      handle: async (exchange) => exchange.json(await api.tool(exchange.param('name'))),
    },
    {
      method: 'POST',
      path: '/api/v1/tools/{name}/call',
      async handle(exchange) {
        calls.checkRoom();
        const body = await exchange.body();
        const options = callOptions(body, exchange);
        await calls.answer(exchange, api.call(exchange.param('name'), argsIn(body), options));
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/calls/{id}',
      handle(exchange) {
        if (!calls.cancel(exchange.param('id'))) throw notFound('No call of this id is under way.');
        exchange.empty();
      },
    },
    {
      method: 'GET',
      path: '/api/v1/commands',
      handle: async (exchange) =>
        exchange.json({ commands: await api.commands({ ask: exchange.flag('ask') }) }),
    },
    {
      method: 'GET',
      path: '/api/v1/commands/{name}',
      handle: async (exchange) => exchange.json(await api.command(exchange.param('name'))),
    },
    {
      method: 'POST',
      path: '/api/v1/commands/{name}/run',
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
      async handle(exchange) {
        const [parameter = '', typed = ''] = [exchange.text('parameter'), exchange.text('typed')];
        exchange.json({ values: await api.complete(exchange.param('name'), parameter, typed) });
      },
    },
  ];
}
