// Conversations with plugins. Each is held here until it is over, or until somebody leaves it.
import { randomBytes } from 'node:crypto';
import type { Talk } from '../../../fleet/plugin/talk.ts';
import { HttpProblem, notFound } from '../problem.ts';
import type { Exchange } from '../exchange.ts';
import type { Route } from '../router.ts';
import { argsIn, callOptions, textIn } from './fields.ts';
import type { RouteParts } from './parts.ts';

export function talkRoutes({ api, calls, streams, maxTalks }: RouteParts): Route[] {
  const talks = new Map<string, Talk>();
  const talkOf = (id: string) => {
    const talk = talks.get(id);
    if (talk === undefined) throw notFound('There is no conversation of this id, or it is over.');
    return talk;
  };
  return [
    {
      method: 'POST',
      path: '/api/v1/talks',
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
        talks.set(id, talk);
        void talk.ended.then(() => talks.delete(id));
        await calls.answer(exchange, talk.opening, { talk: id });
        // Nobody has heard of it who could leave it.
        if (exchange.response.destroyed && !exchange.response.writableFinished) talk.end();
      },
    },
    {
      method: 'POST',
      path: '/api/v1/talks/{id}/say',
      async handle(exchange) {
        calls.checkRoom();
        const talk = talkOf(exchange.param('id'));
        const content = textIn(await exchange.body(), 'content');
        await calls.answer(exchange, talk.say(content));
      },
    },
    {
      method: 'GET',
      path: '/api/v1/talks/{id}',
      handle(exchange) {
        const talk = talkOf(exchange.param('id'));
        return streams.run(exchange.response, () => hold(exchange, talk));
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/talks/{id}',
      handle(exchange) {
        talkOf(exchange.param('id')).end();
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
