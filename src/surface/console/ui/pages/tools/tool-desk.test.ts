import { signal } from '@preact/signals';
import { expect, test } from 'vitest';
import type { CallState, RunningCall } from '../../state/running-call.ts';
import { ToolDesk } from './tool-desk.ts';

function call(status: CallState['status']): RunningCall {
  const state: CallState = { status, text: '', logs: [], startedAt: 0 };
  return { state: signal(state), ended: Promise.resolve(state), cancel: () => {} };
}

test('a draft is kept as it was left', () => {
  const desk = new ToolDesk();
  desk.of('echo', () => ({ text: 'begun' })).draft.value = { value: { text: 'mine' }, tab: 'json' };
  expect(desk.of('echo', () => ({ text: 'anew' })).draft.value).toEqual({
    value: { text: 'mine' },
    tab: 'json',
  });
});

test('only so many are kept, those looked at last; what runs is kept anyway', () => {
  const desk = new ToolDesk();
  const running = call('running');
  desk.begin(
    desk.of('slow', () => 1),
    running,
  );
  for (let index = 0; index < 100; index++) desk.of(`tool ${index}`, () => index);
  expect(desk.callOf('slow')).toBe(running);
  expect(desk.of('tool 99', () => 'forgotten').draft.value.value).toBe(99);
  expect(desk.of('tool 0', () => 'forgotten').draft.value.value).toBe('forgotten');
});

test('of fewer the results are', () => {
  const desk = new ToolDesk();
  const works = Array.from({ length: 20 }, (_, index) => desk.of(`tool ${index}`, () => ({ index })));
  for (const work of works) desk.begin(work, call('ended'));
  expect(works.map((work) => work.call.value !== undefined).filter(Boolean)).toHaveLength(12);
  expect(works[0]?.call.value).toBeUndefined();
  expect(works[0]?.draft.value.value).toEqual({ index: 0 });
  expect(works[19]?.call.value).toBeDefined();
});
