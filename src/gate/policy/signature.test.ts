import { expect, test } from 'vitest';
import { call, shellCall } from '../../../test/support/gate/policy.ts';
import { signatureOf } from './signature.ts';

test('of a command line it is that, with its args as words', () => {
  expect(signatureOf(shellCall('git log | head', ['-5', 'a b']))).toBe(`git log | head '-5' 'a b'`);
});

test('of others it is the name with the arguments by key', () => {
  const subject = call('search', { query: 'bug', limit: 10, all: true });
  expect(signatureOf(subject)).toBe('search(all=true, limit=10, query=bug)');
});

test.for<[args: Record<string, string>, signature: string]>([
  [{ a: '1, b=2' }, 't(a="1, b=2")'],
  [{ a: 'true' }, 't(a="true")'],
  [{ a: '10' }, 't(a="10")'],
  [{ a: 'x)' }, 't(a="x)")'],
  [{ a: '' }, 't(a="")'],
  [{ a: 'src/a.ts' }, 't(a=src/a.ts)'],
  [{ a: 'x\ny\u001b' }, String.raw`t(a="x\ny\u001b")`],
  [{ 'a=b, c': 'd' }, 't("a=b, c"=d)'],
])('text that could be something else is in quotes: %j', ([args, signature]) => {
  expect(signatureOf(call('t', args))).toBe(signature);
});

test('a command line of another shape is an ordinary call', () => {
  expect(signatureOf(call('cli_based_tool', { command: 5 }))).toBe('cli_based_tool(command=5)');
});
