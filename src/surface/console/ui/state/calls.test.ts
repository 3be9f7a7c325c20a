import { expect, test } from 'vitest';
import { ApiError, type StreamRequest } from '../api/client.ts';
import { type CallApi, startCall } from './calls.ts';

function world() {
  const sent: string[] = [];
  let request: StreamRequest | undefined;
  let end: (error?: Error) => void = () => {};
  const api: CallApi = {
    send: (method, path) => {
      sent.push(`${method} ${path}`);
      return Promise.reject(new ApiError(404, '', ''));
    },
    stream: (_path, asked) => {
      request = asked;
      return new Promise((resolve, reject) => {
        end = (error) => (error === undefined ? resolve() : reject(error));
        asked.signal.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
      });
    },
  };
  const call = startCall(api, '/tools/x/call', { args: {} }, { nextFrame: (step) => step() });
  return { call, sent, request: request as unknown as StreamRequest, end: (error?: Error) => end(error) };
}

test('collects text, logs and progress until the outcome', async () => {
  const { call, request, end } = world();
  request.onEvent('text', { text: 'a' });
  request.onEvent('text', { text: 'b' });
  request.onEvent('log', { level: 'info', message: 'm' });
  request.onEvent('progress', { progress: 1, total: 2 });
  expect(call.state.value).toMatchObject({
    status: 'running',
    text: 'ab',
    logs: [{ message: 'm' }],
    progress: { total: 2 },
  });
  request.onEvent('outcome', { ok: true, durationMs: 3 });
  end();
  expect(await call.ended).toMatchObject({ status: 'ended', outcome: { ok: true } });
});

test('a cancelled call is cancelled at the host, once', async () => {
  const { call, sent, request } = world();
  request.onOpen?.(new Response(null, { headers: { 'x-pluglot-call': 'c/1' } }));
  call.cancel();
  expect(await call.ended).toMatchObject({ status: 'cancelled' });
  call.cancel();
  expect(sent).toEqual(['DELETE /calls/c%2F1']);
});

test('a failure before the outcome is a problem', async () => {
  const refused = world();
  refused.end(new ApiError(404, 'UNKNOWN_TOOL', 'No such tool.'));
  expect(await refused.call.ended).toMatchObject({ status: 'failed', problem: 'No such tool.' });
  const away = world();
  away.end(new ApiError(0, 'NOT_REACHED', 'The host does not answer.'));
  expect(await away.call.ended).toMatchObject({ status: 'failed', isUnreached: true });
  expect(await refused.call.ended).not.toHaveProperty('isUnreached');
  const cut = world();
  cut.end();
  expect(await cut.call.ended).toMatchObject({
    status: 'failed',
    problem: 'The connection was lost before the call ended.',
  });
});
