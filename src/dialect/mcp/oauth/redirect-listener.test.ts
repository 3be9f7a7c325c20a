import http from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { redirectListener } from './ask-person.ts';

async function listening() {
  const listener = await redirectListener({ state: 'the-state' });
  onTestFinished(() => listener.close());
  return listener;
}

test('the one answer is taken, and its page says nothing of it', async () => {
  const { uri, answer } = await listening();
  const response = await fetch(`${uri}?code=secret-code&state=the-state`);
  const page = await response.text();
  expect(response.status).toBe(200);
  expect(page).toContain('pluglot has your answer');
  expect(page).not.toContain('secret-code');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect((await answer)?.get('code')).toBe('secret-code');
  expect((await fetch(`${uri}?code=other&state=the-state`)).status).toBe(410);
});

test.each(['?state=another', '', '?state=the-state&state=the-state', '?code=1&code=2&state=the-state'])(
  'an answer of "%s" is none',
  async (query) => {
    const { uri, answer } = await listening();
    expect((await fetch(`${uri}${query}`)).status).toBe(400);
    expect(await answer).toBeUndefined();
  },
);

test('what is asked elsewhere, otherwise or under another name changes nothing', async () => {
  const { uri, answer } = await listening();
  const query = '?code=x&state=the-state';
  expect((await fetch(new URL('/favicon.ico', uri))).status).toBe(404);
  expect((await fetch(`${uri}/more${query}`)).status).toBe(404);
  expect((await fetch(`${uri}${query}`, { method: 'POST' })).status).toBe(404);
  expect(await statusOf(`${uri}${query}`, { host: 'evil.example' })).toBe(404);
  await fetch(`${uri}?code=right&state=the-state`);
  expect((await answer)?.get('code')).toBe('right');
});

test('a port that is taken is told', async () => {
  const { uri } = await listening();
  await expect(redirectListener({ state: 's', port: Number(new URL(uri).port) })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
});

test('it listens on the loopback alone, and not after it was closed', async () => {
  const listener = await redirectListener({ state: 's' });
  expect(new URL(listener.uri).hostname).toBe('127.0.0.1');
  listener.close();
  await expect(fetch(listener.uri)).rejects.toThrow('fetch failed');
});

function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    http
      .get(url, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
      .on('error', reject);
  });
}
