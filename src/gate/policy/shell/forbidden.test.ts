// A rule that forbids a command holds for it wherever it stands in a line of plain words, however it is quoted.
import { describe, expect, test } from 'vitest';
import { endOf, policyOf, shellCall, verdictOn } from '../../../../test/support/gate/policy.ts';

const rules = { allow: ['*'], forbid: ['rm *'] };

test.for([
  'rm x',
  'rm  x',
  'rm',
  ' rm\tx',
  '/bin/rm x',
  './rm x',
  '../../bin/rm x',
  'RM x',
  "r''m x",
  'r\\m x',
  '\\rm x',
  '"rm" x',
  'git status && rm x',
  'git status; rm x',
  'git status | rm x',
  'git status || rm x',
  'git status\nrm x',
  // As the text that they are.
  'rm x > /dev/null',
  'rm $x',
  'rm *',
])('%s is denied', async (command) => {
  expect(await verdictOn(rules, command)).toMatchObject({ kind: 'deny', method: 'deny-rule' });
});

test.for<[command: string, args: string[]]>([
  ['rm', ['x']],
  ['git status; rm', ['x']],
])('%s %j is denied', async ([command, args]) => {
  expect(await verdictOn(rules, command, args)).toMatchObject({ kind: 'deny' });
});

test.for([
  "$'\\x72m' x",
  'echo $(rm x)',
  'echo `rm x`',
  'echo "a $(rm x)"',
  'cat <(rm x)',
  'cat <<EOF\n$(rm x)\nEOF',
  'echo ${x:-$(rm x)}',
  'echo $((1 + $(rm x)))',
  'x=$(rm x)',
  'A=b rm x',
  'PATH=/x rm y',
  'command rm x',
  'exec rm x',
  'eval "rm x"',
  'if git status; then rm x; fi',
  'for x in a b; do rm $x; done',
  'f() { rm x; }',
  '( rm x )',
  '{ rm x; } > y',
  '$y; rm x',
  'git status; rm x; $y',
  'trap "rm x" EXIT',
  'time rm x',
  '! rm x',
  'coproc rm x',
  'coproc time ! rm x',
  'env ! rm x',
  'nice -n 5 ! rm x',
  'git $x',
  'npm $x',
])('%s is not literal: nothing allows it', async (command) => {
  expect(await verdictOn(rules, command)).toMatchObject({ kind: 'ask', method: 'unreadable' });
  const open = policyOf({ defaultPolicy: 'allow', deny: ['rm *'] });
  open.allowAll({ kind: 'model' });
  expect(await open.decide(shellCall(command))).toMatchObject({ kind: 'ask', method: 'unreadable' });
  expect(await policyOf({ deny: ['rm *'], allow: ['*'] }).decide(shellCall(command))).toMatchObject({
    kind: 'deny',
    method: 'unreadable',
  });
});

test.for([
  'sudo rm x',
  'sudo -u root -- rm x',
  'env A=b rm x',
  'nohup nice -n 5 rm x',
  'timeout 5 rm x',
  "sh -c 'rm x'",
  "bash -lc 'git status; rm x'",
  'find . -exec rm {} \\;',
  'find . -exec sh -c "rm x" \\;',
  'ls | xargs rm',
  'ls | xargs -n 1 -P 4 rm -f',
  'busybox rm x',
  'watch rm x',
  'git rmx',
  'echo rm x',
  'rmdir x',
  'git rm x',
  "echo 'rm x'",
  'grep rm file',
])('%s has another name, and is confined', async (command) => {
  expect(endOf(await verdictOn(rules, command))).toBe('confined');
});

describe('other rules that forbid', () => {
  test.for<[forbidden: string, command: string]>([
    ['git push *', 'git push origin main'],
    ['git push *', 'git  push'],
    ['* --force', 'git push --force'],
    ['cli_based_tool', 'git status'],
    ['curl *', 'git status; curl x'],
    ['*', 'git status'],
  ])('%s: %s', async ([forbidden, command]) => {
    expect(await verdictOn({ allow: ['*'], forbid: [forbidden] }, command)).toMatchObject({ kind: 'deny' });
  });
});
