import { expect, test, vi } from 'vitest';
import { ApiError, createApi, messageOf, segment } from './client.ts';

function apiThatAnswers(...answers: (Response | Error)[]) {
  const asked: { path: string; method: string; body: unknown }[] = [];
  const onUnauthorized = vi.fn<() => void>();
  const api = createApi((path, init) => {
    asked.push({
      path: path instanceof Request ? path.url : path.toString(),
      method: init?.method ?? '',
      body: init?.body,
    });
    const answer = answers.shift() ?? new Error('nothing left');
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  }, onUnauthorized);
  return { api, asked, onUnauthorized };
}

test('requests its own API version, and reads responses with and without a body', async () => {
  const { api, asked } = apiThatAnswers(Response.json({ a: 1 }), new Response(null, { status: 204 }));
  expect(await api.get('/plugins')).toEqual({ a: 1 });
  expect(await api.send('DELETE', `/calls/${segment('a/b')}`, { x: 1 })).toBeUndefined();
  expect(asked).toMatchObject([
    { path: '/api/v1/plugins', method: 'GET' },
    { path: '/api/v1/calls/a%2Fb', body: '{"x":1}' },
  ]);
});

test('throws the problem that the host describes', async () => {
  const { api, onUnauthorized } = apiThatAnswers(
    Response.json({ code: 'UNKNOWN_TOOL', detail: 'No tool "x".' }, { status: 404 }),
    new Response('<html>', { status: 500 }),
    Response.json({ title: 'Who are you?' }, { status: 401 }),
    new TypeError('fetch failed'),
  );
  const failure = async () => api.get('/plugins').catch((error: unknown) => error);
  expect(await failure()).toMatchObject({ status: 404, code: 'UNKNOWN_TOOL', message: 'No tool "x".' });
  expect(await failure()).toMatchObject({ status: 500, message: 'The host responded with status 500.' });
  expect(onUnauthorized).not.toHaveBeenCalled();
  expect(await failure()).toBeInstanceOf(ApiError);
  expect(onUnauthorized).toHaveBeenCalledOnce();
  expect(await failure()).toMatchObject({ status: 0, code: 'NOT_REACHED' });
  expect(messageOf(new Error('why'))).toBe('why');
});

test('reads events, also where a character is cut in two', async () => {
  const bytes = new TextEncoder().encode('event: text\ndata: {"text":"ä"}\n\n');
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const { api } = apiThatAnswers(new Response(body));
  const events: unknown[] = [];
  await api.stream('/events', {
    signal: new AbortController().signal,
    onEvent: (name, data) => events.push([name, data]),
  });
  expect(events).toEqual([['text', { text: 'ä' }]]);
});

test('posts the code; a wrong one does not end the session', async () => {
  const { api, asked, onUnauthorized } = apiThatAnswers(
    new Response(null, { status: 204 }),
    Response.json({ detail: 'This link was used before, or has expired.' }, { status: 401 }),
  );
  await api.enter('secret');
  expect(asked).toEqual([{ path: '/', method: 'POST', body: '{"code":"secret"}' }]);
  await expect(api.enter('wrong')).rejects.toMatchObject({ status: 401 });
  expect(onUnauthorized).not.toHaveBeenCalled();
});
