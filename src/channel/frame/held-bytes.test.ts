import { describe, expect, test } from 'vitest';
import { KiB, MiB } from '../../base/units.ts';
import { HeldBytes } from './held-bytes.ts';

describe('bodies that are collected at the same time', () => {
  test.each([
    ['small', 100],
    ['medium', 60 * KiB],
    ['large', 700 * KiB],
  ])('stay apart: %s pieces', (_, pieceSize) => {
    const holders = ['a', 'b', 'c'].map((letter) => ({ letter, held: new HeldBytes() }));
    for (let round = 0; round < 8; round++)
      for (const { letter, held } of holders) held.add(Buffer.alloc(pieceSize, letter));
    for (const { letter, held } of holders) {
      expect(held.size).toBe(8 * pieceSize);
      expect(held.take() === letter.repeat(8 * pieceSize)).toBe(true);
      expect(held.size).toBe(0);
    }
  });

  test('stay apart when one of them is never finished', () => {
    const [forgotten, held] = [new HeldBytes(), new HeldBytes()];
    forgotten.add(Buffer.alloc(100 * KiB, 'x'));
    held.add(Buffer.alloc(100 * KiB, 'é'));
    forgotten.add(Buffer.alloc(100 * KiB, 'x'));
    held.add(Buffer.alloc(100 * KiB, 'é'));
    expect(held.take() === 'é'.repeat(100 * KiB)).toBe(true);
    expect(forgotten.take() === 'x'.repeat(200 * KiB)).toBe(true);
  });
});

test('bytes that were taken are not overwritten by the next body', () => {
  const held = new HeldBytes();
  held.add(Buffer.alloc(MiB, 'a'));
  const taken = held.takeBytes();
  held.add(Buffer.alloc(MiB, 'b'));
  expect(taken.equals(Buffer.alloc(MiB, 'a'))).toBe(true);
});
