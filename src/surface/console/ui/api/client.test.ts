import { expect, test, vi } from 'vitest';
import { ApiError, createApi, part, wordsOf } from './client.ts';

function apiThatAnswers(...answers: (Response | Error)[]) {
  const asked: { path: string; method: string; body: unknown }[] = [];
  const onRefused = vi.fn<() => void>();
  const api = createApi((path, init) => {
    asked.push({
      path: path instanceof Request ? path.url : path.toString(),
      method: init?.method ?? '',
      body: init?.body,
    });
    const answer = answers.shift() ?? new Error('nothing left');
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  }, onRefused);
  return { api, asked, onRefused };
}

test('asks under its own version, and reads answers with and without a body', async () => {
  const { api, asked } = apiThatAnswers(Response.json({ a: 1 }), new Response(null, { status: 204 }));
  expect(await api.get('/plugins')).toEqual({ a: 1 });
  expect(await api.send('DELETE', `/calls/${part('a/b')}`, { x: 1 })).toBeUndefined();
  expect(asked).toMatchObject([
    { path: '/api/v1/plugins', method: 'GET' },
    { path: '/api/v1/calls/a%2Fb', body: '{"x":1}' },
  ]);
});

test('tells what is wrong in the words of the host', async () => {
  const { api, onRefused } = apiThatAnswers(
    Response.json({ code: 'UNKNOWN_TOOL', detail: 'No tool "x".' }, { status: 404 }),
    new Response('<html>', { status: 500 }),
    Response.json({ title: 'Who are you?' }, { status: 401 }),
    new TypeError('fetch failed'),
  );
  const failure = async () => api.get('/x').catch((error: unknown) => error);
  expect(await failure()).toMatchObject({ status: 404, code: 'UNKNOWN_TOOL', message: 'No tool "x".' });
  expect(await failure()).toMatchObject({ status: 500, message: 'The host answered with 500.' });
  expect(onRefused).not.toHaveBeenCalled();
  expect(await failure()).toBeInstanceOf(ApiError);
  expect(onRefused).toHaveBeenCalledOnce();
  expect(await failure()).toMatchObject({ status: 0, code: 'NOT_REACHED' });
  expect(wordsOf(new Error('why'))).toBe('why');
});

test('hears events, also where a letter is cut in two', async () => {
  const bytes = new TextEncoder().encode('event: text\ndata: {"text":"ä"}\n\n');
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const { api } = apiThatAnswers(new Response(body));
  const heard: unknown[] = [];
  await api.stream('/events', {
    signal: new AbortController().signal,
    onEvent: (name, data) => heard.push([name, data]),
  });
  expect(heard).toEqual([['text', { text: 'ä' }]]);
});

test('the code is posted, and a wrong one is no lost session', async () => {
  const { api, asked, onRefused } = apiThatAnswers(
    new Response(null, { status: 204 }),
    Response.json({ detail: 'This link was used before, or has expired.' }, { status: 401 }),
  );
  await api.enter('secret');
  expect(asked).toEqual([{ path: '/', method: 'POST', body: '{"code":"secret"}' }]);
  await expect(api.enter('wrong')).rejects.toMatchObject({ status: 401 });
  expect(onRefused).not.toHaveBeenCalled();
});
