import { expect, test } from 'vitest';
import { PluglotError, type ErrorCode } from '../base/error.ts';
import { Notices } from './notices.ts';

test('while nobody reads, notices are left out, and their number is told first when somebody does', () => {
  const { notices, sent, fail } = recorded();
  notices.send(notice(1));
  fail('PIPE_FULL');
  notices.send(notice(2));
  notices.send(notice(3));
  fail(undefined);
  notices.send(notice(4));
  notices.send(notice(5));
  expect(sent).toEqual([1, 'lost 2', 4, 5]);
});

test('a host that is gone is told nothing, and nothing is thrown', () => {
  const { notices, sent, fail } = recorded();
  fail('PIPE_ENDED');
  notices.send(notice(1));
  notices.send(notice(2));
  expect(sent).toEqual([]);
});

test('what cannot be sent at all is the sender\u2019s affair', () => {
  const { notices, fail } = recorded();
  fail('UNENCODABLE');
  expect(() => notices.send(notice(1))).toThrow('no');
});

function notice(params: unknown) {
  return { method: 'said', params };
}

function recorded() {
  const sent: unknown[] = [];
  let failure: ErrorCode | undefined;
  const notify = (_: string, params: unknown) => {
    if (failure !== undefined) throw new PluglotError(failure, 'no');
    sent.push(params);
    return true;
  };
  const notices = new Notices({ notify }, (count) => notice(`lost ${count}`));
  return { notices, sent, fail: (code: ErrorCode | undefined) => void (failure = code) };
}
