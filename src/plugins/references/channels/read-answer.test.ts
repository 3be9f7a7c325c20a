import { describe, expect, test } from 'vitest';
import { readAnswer } from './read-answer.ts';

describe('what a program answers', () => {
  test.each<[string, readonly string[] | undefined]>([
    ['{"selected_ids":["a","b"]}', ['a', 'b']],
    ['{"selected_ids":["a",1],"request_id":"r-1"}', ['a']],
    ['{"selected_ids":[]}', []],
    ['{"selected_ids":["a"],"request_id":"other"}', undefined],
    ['{"selected_ids":"a"}', undefined],
    ['{"selected_ids":["a"', undefined],
    ['[]', undefined],
    ['', undefined],
  ])('%s', (text, ids) => {
    expect(readAnswer(text, 'r-1')).toEqual(ids);
  });
});
