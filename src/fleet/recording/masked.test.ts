import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json } from '../../base/json.ts';
import { createSecrets } from '../../secrets/secrets.ts';
import { masked, maskerOf } from './cassette.ts';

it('masks what stands under names of secrets, also inside, and what has the shape of a key', () => {
  expect(
    masked({
      password: 'swordfish',
      auth: { user: 'me', phrase: 'open sesame' },
      note: 'use ghp_0123456789abcdef0123 or Bearer abcdefgh12345',
      key: 'a name',
      commit: '6dcd4ce23d88e2ee9568ba546c007c63d9131c1b',
    }),
  ).toEqual({
    password: '***',
    auth: { user: '***', phrase: '***' },
    note: 'use *** or Bearer ***',
    key: 'a name',
    commit: '6dcd4ce23d88e2ee9568ba546c007c63d9131c1b',
  });
});

it('leaves schemas as they are: that a tool takes a password is no secret', () => {
  const schema = { properties: { password: { type: 'string', description: 'Of the user' } } };
  expect(masked(schema)).toEqual(schema);
});

it('gives the same value the same stand-in, and another one another', () => {
  const mask = maskerOf();
  expect([mask({ token: 'one one' }), mask({ token: 'two two' }), mask({ sessionToken: 'one one' })]).toEqual(
    [{ token: '***1' }, { token: '***2' }, { sessionToken: '***1' }],
  );
  expect(mask({ token: '***1' })).toEqual({ token: '***1' });
});

it('lets no known secret through, wherever it stands', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ minLength: 1 }), (around, word) => {
      const secret = `s3cr3t-${word}`;
      const mask = maskerOf(createSecrets([secret]));
      const message = { a: around as Json, b: [`x${secret}y`], [secret]: { c: secret } };
      expect(JSON.stringify(mask(message))).not.toContain(JSON.stringify(secret).slice(1, -1));
    }),
  );
});
