import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LinkedList, type Linked } from './queue.ts';

interface Node extends Linked<Node> {
  readonly name: number;
}

test('it holds what a set holds, the last added first', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(9)), { maxLength: 60 }), (steps) => {
      const nodes = Array.from({ length: 10 }, (_, name): Node => ({
        name,
        previous: undefined,
        next: undefined,
      }));
      const list = new LinkedList<Node>();
      let model: number[] = [];
      for (const [adds, index] of steps) {
        const node = nodes[index]!;
        if (adds && !model.includes(index)) {
          list.add(node);
          model.unshift(index);
        } else if (!adds && model.includes(index)) {
          list.remove(node);
          model = model.filter((name) => name !== index);
        }
        expect([...list].map(({ name }) => name)).toEqual(model);
        expect(list.size).toBe(model.length);
      }
    }),
  );
});

test('what is given may be taken out at once', () => {
  const list = new LinkedList<Node>();
  for (let name = 0; name < 5; name++) list.add({ name, previous: undefined, next: undefined });
  const seen: number[] = [];
  for (const node of list) {
    seen.push(node.name);
    list.remove(node);
  }
  expect(seen).toEqual([4, 3, 2, 1, 0]);
  expect(list.size).toBe(0);
});
