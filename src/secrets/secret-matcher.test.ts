import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SecretMatcher } from './secret-matcher.ts';
import { formsOf } from './secrets.ts';

/** As simple as it can be: all places of all texts, one after the other. */
function simply(text: string, secrets: readonly string[]): string {
  const isMasked = Array.from(text, () => false);
  for (const secret of secrets)
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1))
      isMasked.fill(true, at, at + secret.length);
  return Array.from(text, (character, at) =>
    isMasked[at] !== true ? character : isMasked[at - 1] === true ? '' : '*',
  ).join('');
}

const letters = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength, maxLength });

describe('texts that are known', () => {
  it('are found wherever a simple search finds them, also where they overlap', () => {
    fc.assert(
      fc.property(
        fc.array(letters(2, 16), { minLength: 1, maxLength: 6 }),
        letters(0, 80),
        (secrets, text) => {
          expect(new SecretMatcher(secrets, '*').mask(text)).toBe(simply(text, secrets));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('are found in any text, at any place, whatever their length', () => {
    const word = fc.string({ unit: 'binary', minLength: 2, maxLength: 200 });
    fc.assert(
      fc.property(
        word,
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary' }),
        (secret, before, after) => {
          fc.pre(!secret.includes('*'));
          const masked = new SecretMatcher([secret], '*').mask(`${before}${secret}${after}`);
          expect(masked).not.toContain(secret);
          expect(masked.length).toBeLessThan(before.length + secret.length + after.length);
        },
      ),
    );
  });

  it('leave a text as it is that has none of them', () => {
    const matcher = new SecretMatcher(['hunter2', 's3cr3t-value'], '*');
    expect(matcher.mask('hunter1 s3cr3t-valu hunte r2')).toBe('hunter1 s3cr3t-valu hunte r2');
    expect(matcher.has('nothing here')).toBe(false);
    expect(matcher.has('it is hunter2.')).toBe(true);
  });

  it('count from half of them on where they are long, since others cut texts', () => {
    const secret = 'abcdefghijklmnopqrstuvwxyz0123456789';
    const matcher = new SecretMatcher([secret], '*');
    expect(matcher.mask(`got ${secret.slice(0, 20)}… (cut)`)).toBe('got *… (cut)');
    expect(matcher.mask(`got ${secret.slice(0, 12)}… (cut)`)).toBe('got abcdefghijkl… (cut)');
  });
});

describe('a piece of a longer text', () => {
  const matcher = new SecretMatcher(['correct-horse', 'battery'], '*');

  it('has no half of one at its ends', () => {
    expect(matcher.maskPiece('ct-horse and battery and correct')).toBe('* and * and *');
    expect(matcher.maskPiece('t-horse, corre')).toBe('*, corre');
    expect(matcher.maskPiece('rrect-ho')).toBe('*');
    expect(matcher.maskPiece('short')).toBe('short');
  });

  it('has no half of one at its ends behind escapes, wherever they were cut', () => {
    const secret = 'cörr/ect "horse" bättery&staple';
    const known = new SecretMatcher(formsOf(secret), '*');
    const parts = secret.match(/\w{3,}/g) ?? [];
    const html = secret.replaceAll(/[^\w ]/g, (sign) => `&#${sign.codePointAt(0)};`);
    const inAddress = encodeURIComponent(secret);
    const inPhp = JSON.stringify(secret)
      .slice(1, -1)
      .replaceAll('/', String.raw`\/`);
    const inUnicode = secret.replaceAll(/\W/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
    const inJson = [inPhp, inUnicode].flatMap((form) => [form, JSON.stringify(form).slice(1, -1)]);
    for (const form of [inAddress, encodeURI(secret), html, encodeURIComponent(inAddress), ...inJson])
      for (let at = 0; at <= form.length; at++) {
        const shown = known.maskPiece(`x ${form.slice(0, at)}`) + known.maskPiece(`${form.slice(at)} y`);
        const leaked = parts.filter((part) => shown.includes(part));
        expect(leaked.length, `${form.slice(0, at)} | ${form.slice(at)}: ${shown}`).toBeLessThan(2);
      }
  });

  it('shows at most five letters of one, wherever it was cut', () => {
    fc.assert(
      fc.property(fc.nat(60), letters(0, 20), letters(0, 20), (at, before, after) => {
        const text = `${before}correct-horse${after}`;
        const shown = matcher.maskPiece(text.slice(0, at)) + matcher.maskPiece(text.slice(at));
        expect(shown).not.toMatch(/correc|orrect|rrect-|rect-h|ect-ho|ct-hor|t-hors|-horse/);
      }),
    );
  });
});

it('takes linear time, whatever the text and the texts are', () => {
  const repeated = 'a'.repeat(2000);
  const matcher = new SecretMatcher(
    [`${repeated}b`, `b${repeated}`, 'aaaaaaab', `${'ab'.repeat(500)}c`],
    '*',
  );
  const begun = performance.now();
  for (const text of ['a'.repeat(400_000), 'ab'.repeat(200_000), 'b'.repeat(400_000)]) {
    matcher.mask(text);
    matcher.maskPiece(text);
  }
  // Far more than it takes; a search that begins anew at each letter would take minutes.
  expect(performance.now() - begun).toBeLessThan(10_000);
});
