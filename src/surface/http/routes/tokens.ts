// Who has access: tokens of clients, and links that open the console in a browser. For the user alone.
import { tokenPurposes, type TokenPurpose } from '../../../runtime/tokens/token-purposes.ts';
import type { TokenRequest } from '../../../runtime/tokens/tokens.ts';
import type { JsonObject } from '../../../base/json.ts';
import { badRequest, notFound } from '../problem.ts';
import type { Route } from '../router.ts';
import { textIn } from './fields.ts';
import type { RouteParts } from './parts.ts';

export function tokenRoutes({ api, consoleLink }: RouteParts): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/tokens',
      needs: 'user',
      handle: async (exchange) => exchange.json({ tokens: await api.tokens.list() }),
    },
    {
      method: 'POST',
      path: '/api/v1/tokens',
      needs: 'user',
      handle: async (exchange) =>
        exchange.json(await api.tokens.create(requestIn(await exchange.body())), 201),
    },
    {
      method: 'DELETE',
      path: '/api/v1/tokens/{name}',
      needs: 'user',
      async handle(exchange) {
        if (!(await api.tokens.revoke(exchange.param('name'))))
          throw notFound('There is no token of this name.');
        exchange.empty();
      },
    },
    {
      method: 'POST',
      path: '/api/v1/console/link',
      needs: 'user',
      async handle(exchange) {
        await exchange.body();
        exchange.json(consoleLink?.() ?? (await api.consoleLink()), 201);
      },
    },
  ];
}

function requestIn(body: JsonObject): TokenRequest {
  const purpose = textIn(body, 'purpose');
  if (!tokenPurposes.some((known) => known === purpose))
    throw badRequest(`"purpose" has to be one of ${tokenPurposes.join(', ')}.`);
  return {
    name: textIn(body, 'name'),
    // One of them: the line above.
    purpose: purpose as TokenPurpose,
    ...(body['profile'] !== undefined && { profile: textIn(body, 'profile') }),
  };
}
