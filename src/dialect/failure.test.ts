import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonArray, isJsonObject, textsIn, type JsonObject } from '../base/json.ts';
import type { CallFailure } from '../definition/outcome.ts';
import { reasonGiven, withoutReason, withoutSuggestions, withSuggestions } from './failure.ts';
import { toolResult } from './mcp/server-tools.ts';

test.each([
  ['the reason alone', 'boom', {}],
  ['the reason as the last line', 'one\ntwo\nboom\n', { text: 'one\ntwo' }],
  ['a sentence that ends in the same word', 'one two boom', { text: 'one two boom' }],
  ['something else', 'one', { text: 'one' }],
])('the text of a failure is without %s', (_, text, expected) => {
  expect(withoutReason({ text }, failure('boom'))).toEqual(expected);
});

test('suggestions that the message has already are not added to it', () => {
  const way = 'Allow it: pluglot allow files__write';
  expect(withSuggestions({ ...failure(`Permission denied. ${way}`), suggestions: [way] })).toBe(
    `Permission denied. ${way}`,
  );
});

test('a message that was told with its suggestions is read without them', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.string({ minLength: 1 })), (message, suggestions) => {
      fc.pre(suggestions.every((suggestion) => !message.includes(suggestion)));
      const told = withSuggestions({ ...failure(message), suggestions });
      expect(withoutSuggestions(told, suggestions)).toBe(message);
    }),
  );
});

test.each([
  ['a reason that is the whole text', 'boom', 'boom'],
  ['a reason at the end of the text', 'working\nboom', 'working\nboom'],
  ['a reason that was shortened', 'x'.repeat(5000), 'x'.repeat(5000)],
])('a client reads %s once', (_, text, expected) => {
  const message = reasonGiven(text.split('\n').at(-1));
  expect(textOf(toolResult({ ok: false, text, error: failure(message) }, undefined))).toBe(expected);
});

function failure(message: string): CallFailure {
  return { code: 'TOOL_FAILED', message };
}

function textOf({ content }: JsonObject): string {
  const parts = isJsonArray(content) ? content : [];
  return parts.flatMap((part) => (isJsonObject(part) ? textsIn([part['text'] ?? '']) : [])).join('\n');
}
