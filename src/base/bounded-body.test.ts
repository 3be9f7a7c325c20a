import { expect, test } from 'vitest';
import { boundedBody } from './bounded-body.ts';

test.each([
  ['', 4, '', true],
  ['four', 4, 'four', true],
  ['fives', 4, 'five', false],
])('%o within %i bytes', async (text, limit, read, isAll) => {
  const { bytes, ...rest } = await boundedBody(new Response(text), limit);
  expect([bytes.toString(), rest.isAll]).toEqual([read, isAll]);
});

test('of what has no end, no more is read than is wanted', async () => {
  let given = 0;
  let isGivenUp = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      given += 1;
      controller.enqueue(new Uint8Array(10));
    },
    cancel() {
      isGivenUp = true;
    },
  });
  const { bytes, isAll } = await boundedBody(new Response(body), 35);
  expect([bytes.length, isAll, isGivenUp]).toEqual([35, false, true]);
  expect(given).toBeLessThan(10);
});

test('an answer without a body is empty', async () => {
  const { bytes, isAll } = await boundedBody(new Response(null, { status: 204 }), 10);
  expect([bytes.length, isAll]).toEqual([0, true]);
});
