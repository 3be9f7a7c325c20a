import { expect, test } from 'vitest';
import { sentence, sentences } from './text.ts';

test.each([
  ['it is not there', 'it is not there.'],
  ['It is not there.', 'It is not there.'],
  ['Is it there?', 'Is it there?'],
  ['It waits…', 'It waits…'],
  ['It said "no."', 'It said "no."'],
  ['it failed (twice)', 'it failed (twice).'],
  ['It failed. (Twice.)', 'It failed. (Twice.)'],
  ['It is over.\n', 'It is over.'],
  ['', ''],
])('%j becomes %j', (text, expected) => {
  expect(sentence(text)).toBe(expected);
  expect(sentence(sentence(text))).toBe(expected);
});

test.each([
  [['it is not there', 'Install it.'], 'it is not there. Install it.'],
  [['It ended in any dialect.', 'Correct it.'], 'It ended in any dialect. Correct it.'],
  [['Read it first', 'then: pluglot trust add .'], 'Read it first. then: pluglot trust add .'],
  [['It is missing. Install it.', 'Install it.'], 'It is missing. Install it.'],
  [['it is not there', undefined, ' '], 'it is not there'],
  [['', 'Install it.'], 'Install it.'],
])('%j are joined to %j', (texts, expected) => {
  expect(sentences(...texts)).toBe(expected);
});
