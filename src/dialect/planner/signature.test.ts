// Signatures of messages, and the canonical JSON that they cover.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { vectors } from '../../../test/support/dialect/planner/vectors.ts';
import { canonicalJson, type Json, type JsonObject } from '../../base/json.ts';
import { REPLAY_WINDOW_SECONDS, Signer, signatureOf } from './wire.ts';

const now = 1_634_567_890;
const secret = 'correct horse battery staple';

// requirement: planner:security:auth-canonical, planner:served-security:auth-canonical
test.each(vectors)('$name', ({ message, timestamp, secret, signature }) => {
  expect(signatureOf(message, timestamp, secret)).toBe(signature);
});

test('what one end signs the other believes, once', () => {
  const [here, there] = [new Signer(secret, () => now), new Signer(secret, () => now + 5)];
  const signed = parse(
    here.signed('{"jsonrpc":"2.0","id":1,"method":"execute_task","params":{"a":[1,"é"]}}'),
  );
  expect(signed['auth']).toEqual({ timestamp: now, signature: expect.any(String) as string });
  expect(there.problemOf(signed)).toBeUndefined();
  expect(there.problemOf(signed)).toBe('it was sent before');
});

test.each([
  ['without padding', (signature: string) => signature.replace('=', '')],
  ['with more padding', (signature: string) => `${signature}==`],
  ['with white space', (signature: string) => ` ${signature}\n`],
  ['for addresses', (signature: string) => Buffer.from(signature, 'base64').toString('base64url')],
])('a signature that is written %s makes no new message of an old one', (_, rewritten) => {
  const seal = new Signer(secret, () => now);
  const signed = parse(seal.signed('{"jsonrpc":"2.0","id":1,"method":"execute_task"}'));
  expect(seal.problemOf(signed)).toBeUndefined();
  const { signature } = signed['auth'] as { signature: string };
  expect(seal.problemOf(withAuth(signed, { signature: rewritten(signature) }))).toBe('it was sent before');
});

test('what is as old as a signature that was forgotten is not believed again', () => {
  let time = now;
  const seal = new Signer(secret, () => time, 2);
  const signed = [1, 2, 3].map((id) => {
    time += 1;
    return parse(seal.signed(`{"id":${id}}`));
  });
  for (const message of signed) expect(seal.problemOf(message)).toBeUndefined();
  for (const message of signed) expect(seal.problemOf(message)).toBe('it was sent before');
});

test('each message of a batch is signed', () => {
  const seal = new Signer(secret, () => now);
  const text = seal.signed('[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"result":2}]');
  for (const item of JSON.parse(text) as JsonObject[]) expect(seal.problemOf(item)).toBeUndefined();
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
  const seal = new Signer(secret, () => now);
  const signed = parse(seal.signed('{"jsonrpc":"2.0","id":1,"method":"execute_task"}'));
  expect(seal.problemOf(change(signed))).toBe(flaw);
});

test('what is older or newer than the window is not believed', () => {
  for (const offset of [-1, 1]) {
    const there = new Signer(secret, () => now + offset * (REPLAY_WINDOW_SECONDS + 1));
    expect(new Signer(secret, () => now).problemOf(parse(there.signed('{"id":1}')))).toBe(
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

test('the example of section 3.2.2: numbers, strings and literals', () => {
  const text = String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`;
  expect(canonicalJson(JSON.parse(text) as Json)).toBe(
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
});

test('the example of section 3.2.3: members in the order of their UTF-16 code units', () => {
  const text = String.raw`{
    "\u20ac": "Euro Sign",
    "\r": "Carriage Return",
    "\ufb33": "Hebrew Letter Dalet With Dagesh",
    "1": "One",
    "\ud83d\ude00": "Emoji: Grinning Face",
    "\u0080": "Control",
    "\u00f6": "Latin Small Letter O With Diaeresis"
  }`;
  const values = [...canonicalJson(JSON.parse(text) as Json).matchAll(/:"([^"]+)"/g)].map(
    ([, value]) => value,
  );
  expect(values).toEqual([
    'Carriage Return',
    'One',
    'Control',
    'Latin Small Letter O With Diaeresis',
    'Euro Sign',
    'Emoji: Grinning Face',
    'Hebrew Letter Dalet With Dagesh',
  ]);
});

test.each([
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555555', '333333333.3333333'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
])('appendix B: the number %s is %s', (bits, text) => {
  expect(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text);
});

test('it says the same as the value, whatever the order of its members', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value as Json);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(JSON.parse(text) as Json)).toBe(text);
    }),
  );
});
