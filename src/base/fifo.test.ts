import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Fifo } from './queue.ts';

type Item = { readonly name: number };
type Step = { kind: 'push' } | { kind: 'shift' } | { kind: 'remove'; at: number } | { kind: 'takeAll' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Step>({ kind: 'push' }) },
  { weight: 3, arbitrary: fc.constant<Step>({ kind: 'shift' }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), at: fc.nat() }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'takeAll' }) },
);

test('behaves like a plain array through any sequence of operations', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const fifo = new Fifo<Item>();
      let model: Item[] = [];
      const seen: unknown[] = [];
      const expected: unknown[] = [];
      steps.forEach((step, name) => {
        const item = { name };
        switch (step.kind) {
          case 'push':
            fifo.push(item);
            model.push(item);
            break;
          case 'shift':
            seen.push(fifo.shift());
            expected.push(model.shift());
            break;
          case 'remove': {
            const [removed] = model.splice(step.at % (model.length || 1), 1);
            if (removed !== undefined) fifo.remove(removed);
            break;
          }
          case 'takeAll':
            seen.push(fifo.takeAll());
            expected.push(model);
            model = [];
            break;
        }
        seen.push(fifo.size, [...fifo]);
        expected.push(model.length, [...model]);
      });
      expect([...seen, fifo.takeAll()]).toEqual([...expected, model]);
    }),
  );
});

test.each([
  ['from the front', (i: number) => i],
  ['from the back', (i: number) => 99_999 - i],
  ['from all over', (i: number) => (i * 7919) % 100_000],
])('a hundred thousand items leave quickly, removed %s', (_, nth) => {
  const items = Array.from({ length: 100_000 }, (_, name) => ({ name }));
  const order = items.map((_, i) => items[nth(i)]);
  const fifo = new Fifo<Item>();
  for (const item of items) fifo.push(item);
  for (const item of order) if (item !== undefined) fifo.remove(item);
  expect(fifo.size).toBe(0);
  expect(fifo.shift()).toBeUndefined();
});

test('pushing and removing over and over holds nothing', () => {
  const fifo = new Fifo<Item>();
  const first = { name: -1 };
  fifo.push(first);
  for (let name = 0; name < 100_000; name++) {
    const item = { name };
    fifo.push(item);
    fifo.remove(item);
  }
  expect(fifo.size).toBe(1);
  expect(fifo.shift()).toBe(first);
  expect(fifo.shift()).toBeUndefined();
});
