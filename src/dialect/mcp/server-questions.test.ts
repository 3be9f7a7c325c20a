import { expect, it } from 'vitest';
import { PluglotError } from '../../base/error.ts';
import { answersTo, relay } from './call.ts';

const { signal } = new AbortController();
const asker = { ask: async ({ kind }: { kind: string }) => `answer to ${kind}` };
const unable = {
  ask: () => Promise.reject(new PluglotError('UNSUPPORTED', 'It has no model.')),
};

it('what a server asks goes to the only call under way', async () => {
  expect(await relay('p', [{ asker }], 'elicitation/create', {}, signal)).toBe('answer to elicit');
  expect(await relay('p', [{ asker }], 'roots/list', undefined, signal)).toBe('answer to roots');
});

it.each([
  ['no call is under way', [], 'sampling/createMessage', 'belongs to no call'],
  ['it could belong to several', [{ asker }, { asker }], 'sampling/createMessage', 'any of 2 calls'],
  ['the caller cannot be asked', [{ asker: undefined }], 'sampling/createMessage', 'cannot be asked'],
  ['the caller cannot do it', [{ asker: unable }], 'sampling/createMessage', 'no model'],
  ['it is not a question', [{ asker }], 'tools/list', 'Method not found'],
])('a question is refused with why when %s', async (_, calls, method, words) => {
  await expect(relay('p', calls, method, {}, signal)).rejects.toThrow(words);
});

it('has no folders as long as no call is under way, which is when servers ask for them', async () => {
  expect(await relay('p', [], 'roots/list', undefined, signal)).toEqual({ roots: [] });
});

it('what is asked in place of a result is answered under the names it came with', async () => {
  const requests = {
    one: { method: 'elicitation/create', params: {} },
    two: { method: 'sampling/createMessage' },
  };
  expect(await answersTo(requests, asker, signal)).toEqual({
    one: 'answer to elicit',
    two: 'answer to sample',
  });
  await expect(answersTo({ x: { method: 'tools/call' } }, asker, signal)).rejects.toThrow('does not know');
  await expect(answersTo({ x: 17 }, asker, signal)).rejects.toThrow('does not know');
});
