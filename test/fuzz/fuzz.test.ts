import { describe, expect, test } from 'vitest';
import type { FrameLimits, FrameSink, Framing } from '../../src/channel/frame/framing.ts';
import { lines } from '../../src/channel/frame/lines.ts';
import { referenceLines } from '../support/channel/reference-framing.ts';
import { seed } from '../support/seed.ts';
import { fuzz, fuzzFirst } from './fuzz.ts';

test('20,000 random and damaged inputs break nothing', () => {
  const { inputs, bodies } = fuzz({ seed: seed(), first: fuzzFirst(), count: 20_000 });
  expect(inputs).toBe(20_000);
  // Most inputs still have something in them.
  expect(bodies).toBeGreaterThan(20_000);
});

test('a seed makes the same inputs again', () => {
  const run = () => fuzz({ seed: 42, count: 500 });
  const { grownBytes: _, ...first } = run();
  expect(run()).toMatchObject(first);
});

describe('a broken framing is found', () => {
  const kept: Buffer[] = [];

  test.each<[string, (framing: Framing) => Framing, RegExp]>([
    [
      'that throws',
      (framing) =>
        decoding(framing, () => ({
          push: () => {
            throw new RangeError('out of bounds');
          },
          end: () => {},
        })),
      /Input 0 of seed 7 \(PLUGLOT_SEED=7 PLUGLOT_FUZZ_FIRST=0\): RangeError: out of bounds/,
    ],
    [
      'that hangs',
      (framing) =>
        decoding(framing, () => ({
          push: () => {
            for (;;);
          },
          end: () => {},
        })),
      /no end after 2000 ms/,
    ],
    [
      'for which chunks make a difference',
      (framing) =>
        decoding(framing, (sink) => {
          const decoder = framing.decoder(sink);
          return {
            push: (chunk) => {
              if (chunk.length > 1) decoder.push(chunk);
            },
            end: () => decoder.end(),
          };
        }),
      /how it is cut into chunks makes a difference/,
    ],
    [
      'that loses something',
      (framing) => decoding(framing, () => ({ push: () => {}, end: () => {} })),
      /the reference decodes it otherwise/,
    ],
    [
      'that keeps memory',
      (framing) =>
        decoding(framing, (sink) => {
          kept.push(Buffer.alloc(64 * 1024));
          return framing.decoder(sink);
        }),
      /1000 inputs left \d+ bytes behind/,
    ],
    [
      'that tells more than there was',
      (framing) =>
        decoding(framing, (sink) => ({
          push: (chunk) => sink.body('x'.repeat(chunk.length + 1), 0, chunk.length + 1),
          end: () => {},
        })),
      /\d+ characters were told of \d+ bytes/,
    ],
  ])('%s', (what, breakIt, message) => {
    const make = (limits: FrameLimits) => breakIt(lines(limits));
    // Only one of them takes all of it; a busy machine must not be taken for a hang.
    const hangMs = what === 'that hangs' ? 2000 : 60_000;
    expect(() =>
      fuzz({ seed: 7, count: 1000, hangMs, targets: [{ make, reference: referenceLines }] }),
    ).toThrow(message);
  });

  function decoding(framing: Framing, decoder: (sink: FrameSink) => ReturnType<Framing['decoder']>): Framing {
    return { ...framing, decoder };
  }
});
