// Conversations with plugins. Each is held here until it is over, or until somebody leaves it.
import { randomBytes } from 'node:crypto';
import type { Caller } from '../../../definition/caller.ts';
import type { Talk } from '../../../fleet/plugin/talk.ts';
import { HttpProblem, notFound } from '../problem.ts';
import type { Exchange } from '../exchange.ts';
import type { Route } from '../router.ts';
import { isTheirs } from '../open-calls.ts';
import { argsIn, callOptions, textIn } from './fields.ts';
import type { RouteParts } from './parts.ts';

export function talkRoutes({ api, calls, streams, maxTalks }: RouteParts): Route[] {
  const talks = new Map<string, { readonly talk: Talk; readonly caller: Caller }>();
  const talkOf = (exchange: Exchange) => {
    const { talk, caller } = talks.get(exchange.param('id')) ?? {};
    if (talk === undefined || caller === undefined || !isTheirs(exchange.caller, caller))
      throw notFound('There is no conversation of this id, or it is over.');
    return talk;
  };
  return [
    {
      method: 'POST',
      path: '/api/v1/talks',
      needs: 'api',
      async handle(exchange) {
        if (talks.size >= maxTalks)
          throw new HttpProblem(
            429,
            'TOO_MANY_CALLS',
            `${maxTalks} conversations go on already. Leave one first.`,
          );
        calls.checkRoom();
        const body = await exchange.body();
        const options = callOptions(body, exchange);
        const talk = api.talk(textIn(body, 'tool'), argsIn(body), options);
        const id = randomBytes(12).toString('base64url');
        talks.set(id, { talk, caller: exchange.caller });
        void talk.ended.then(() => talks.delete(id));
        await calls.answer(exchange, talk.opening, { talk: id });
        // Nobody has heard of it who could leave it.
        if (exchange.response.destroyed && !exchange.response.writableFinished) talk.end();
      },
    },
    {
      method: 'POST',
      path: '/api/v1/talks/{id}/say',
      needs: 'api',
      async handle(exchange) {
        calls.checkRoom();
        const talk = talkOf(exchange);
        const content = textIn(await exchange.body(), 'content');
        await calls.answer(exchange, talk.say(content));
      },
    },
    {
      method: 'GET',
      path: '/api/v1/talks/{id}',
      needs: 'api',
      handle(exchange) {
        const talk = talkOf(exchange);
        return streams.run(exchange.response, () => hold(exchange, talk));
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/talks/{id}',
      needs: 'api',
      handle(exchange) {
        talkOf(exchange).end();
        exchange.empty();
      },
    },
  ];
}

/** Whoever holds it hears its end, and leaves it by going away, also without a word. */
async function hold(exchange: Exchange, talk: Talk): Promise<void> {
  const events = exchange.events();
  if (exchange.isHead) return events.end();
  events.onClosed(() => talk.end());
  await events.send('ended', await talk.ended);
  events.end();
}
