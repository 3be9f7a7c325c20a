// Signatures: what docs/dialects/planner.md has as test vectors, and what is not believed.
import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { REPLAY_WINDOW_SECONDS, Seal, signatureOf } from './seal.ts';
import { vectors } from '../../../test/support/planner-vectors.ts';

const now = 1_634_567_890;
const secret = 'correct horse battery staple';

// requirement: planner:security:auth-canonical, planner:served-security:auth-canonical
test.each(vectors)('$name', ({ message, timestamp, secret, signature }) => {
  expect(signatureOf(message, timestamp, secret)).toBe(signature);
});

test('what one end signs the other believes, once', () => {
  const [here, there] = [new Seal(secret, () => now), new Seal(secret, () => now + 5)];
  const signed = parse(
    here.signed('{"jsonrpc":"2.0","id":1,"method":"execute_task","params":{"a":[1,"é"]}}'),
  );
  expect(signed['auth']).toEqual({ timestamp: now, signature: expect.any(String) as string });
  expect(there.flawOf(signed)).toBeUndefined();
  expect(there.flawOf(signed)).toBe('it was sent before');
});

test.each([
  ['without padding', (signature: string) => signature.replace('=', '')],
  ['with more padding', (signature: string) => `${signature}==`],
  ['with white space', (signature: string) => ` ${signature}\n`],
  ['for addresses', (signature: string) => Buffer.from(signature, 'base64').toString('base64url')],
])('a signature that is written %s makes no new message of an old one', (_, rewritten) => {
  const seal = new Seal(secret, () => now);
  const signed = parse(seal.signed('{"jsonrpc":"2.0","id":1,"method":"execute_task"}'));
  expect(seal.flawOf(signed)).toBeUndefined();
  const { signature } = signed['auth'] as { signature: string };
  expect(seal.flawOf(withAuth(signed, { signature: rewritten(signature) }))).toBe('it was sent before');
});

test('what is as old as a signature that was forgotten is not believed again', () => {
  let time = now;
  const seal = new Seal(secret, () => time, 2);
  const signed = [1, 2, 3].map((id) => {
    time += 1;
    return parse(seal.signed(`{"id":${id}}`));
  });
  for (const message of signed) expect(seal.flawOf(message)).toBeUndefined();
  for (const message of signed) expect(seal.flawOf(message)).toBe('it was sent before');
});

test('each message of a batch is signed', () => {
  const seal = new Seal(secret, () => now);
  const text = seal.signed('[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"result":2}]');
  for (const item of JSON.parse(text) as JsonObject[]) expect(seal.flawOf(item)).toBeUndefined();
});

// requirement: planner:security:auth-replay, planner:served-security:auth-replay
test.each([
  [
    'no auth',
    (signed: JsonObject) => without(signed, 'auth'),
    'the message has no auth { timestamp, signature }',
  ],
  ['no timestamp', (signed: JsonObject) => withAuth(signed, { timestamp: 'now' }), noParts()],
  ['no signature', (signed: JsonObject) => withAuth(signed, { signature: 5 }), noParts()],
  [
    'another secret',
    (signed: JsonObject) => withAuth(signed, { signature: 'AAAA' }),
    'its signature is wrong',
  ],
  ['an empty one', (signed: JsonObject) => withAuth(signed, { signature: '' }), 'its signature is wrong'],
  [
    'another time',
    (signed: JsonObject) => withAuth(signed, { timestamp: now + 1 }),
    'its signature is wrong',
  ],
  ['a changed message', (signed: JsonObject) => ({ ...signed, method: 'rm' }), 'its signature is wrong'],
  ['one more member', (signed: JsonObject) => ({ ...signed, more: 1 }), 'its signature is wrong'],
])('%s is not believed', (_, change, flaw) => {
  const seal = new Seal(secret, () => now);
  const signed = parse(seal.signed('{"jsonrpc":"2.0","id":1,"method":"execute_task"}'));
  expect(seal.flawOf(change(signed))).toBe(flaw);
});

test('what is older or newer than the window is not believed', () => {
  for (const offset of [-1, 1]) {
    const there = new Seal(secret, () => now + offset * (REPLAY_WINDOW_SECONDS + 1));
    expect(new Seal(secret, () => now).flawOf(parse(there.signed('{"id":1}')))).toBe(
      'its timestamp is more than 300 s away from now',
    );
  }
});

function parse(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}

function withAuth(signed: JsonObject, change: JsonObject): JsonObject {
  return { ...signed, auth: { ...(signed['auth'] as JsonObject), ...change } };
}

function without(signed: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(signed).filter(([name]) => name !== key));
}

function noParts(): string {
  return 'its auth has no number "timestamp" and string "signature"';
}
