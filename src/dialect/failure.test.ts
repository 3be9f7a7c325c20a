import { expect, test } from 'vitest';
import { PluglotError } from '../base/error.ts';
import { reasonGiven, unanswered } from './failure.ts';

test('an error of ours keeps its code; anything else is a fault within', () => {
  expect(unanswered(new PluglotError('PIPE_FULL', 'Full.'))).toEqual({ code: 'PIPE_FULL', message: 'Full.' });
  expect(unanswered(new Error('odd'))).toEqual({ code: 'INTERNAL', message: 'odd' });
  expect(unanswered('odd')).toEqual({ code: 'INTERNAL', message: 'odd' });
});

test('what was too large tells which limit there is', () => {
  const failure = unanswered(new PluglotError('FRAME_TOO_LARGE', 'Too large.'));
  expect(failure).toEqual({
    code: 'FRAME_TOO_LARGE',
    message: 'Too large. limits.messageBytes is what may be raised.',
  });
});

test('a reason is told, cut, or missed', () => {
  expect(reasonGiven('No key.')).toBe('No key.');
  expect(reasonGiven('x'.repeat(5000))).toBe(`${'x'.repeat(4000)}… (5000 characters)`);
  for (const nothing of [undefined, ''])
    expect(reasonGiven(nothing)).toBe('The plugin says that it failed, and not why.');
});
