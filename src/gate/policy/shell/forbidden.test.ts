// A rule that forbids a command holds wherever it stands, however it is written.
import { describe, expect, test } from 'vitest';
import { verdictOn } from '../../../../test/support/policy.ts';

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
  "$'\\x72m' x",
  'git status && rm x',
  'git status; rm x',
  'git status | rm x',
  'git status\nrm x',
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
  'sudo rm x',
  'sudo -u root -- rm x',
  'env A=b rm x',
  'nohup nice -n 5 rm x',
  'timeout 5 rm x',
  'command rm x',
  'exec rm x',
  'eval "rm x"',
  "sh -c 'rm x'",
  "bash -lc 'git status; rm x'",
  'find . -exec rm {} \\;',
  'find . -exec sh -c "rm x" \\;',
  'ls | xargs rm',
  'ls | xargs -n 1 -P 4 rm -f',
  'if git status; then rm x; fi',
  'for x in a b; do rm $x; done',
  'f() { rm x; }',
  '( rm x )',
  '{ rm x; } > y',
  'rm x > /dev/null',
  'rm $x',
  'rm *',
  '$y; rm x',
  'git status; rm x; $y',
  'trap "rm x" EXIT',
  'busybox rm x',
  'watch rm x',
  'time rm x',
  '! rm x',
  'coproc rm x',
])('%s is denied', async (command) => {
  const verdict = await verdictOn({ allow: ['*'], forbid: ['rm *'] }, command);
  expect(verdict).toMatchObject({ kind: 'deny', method: 'blacklist' });
});

test.for<[command: string, args: string[]]>([
  ['rm', ['x']],
  ['git status; rm', ['x']],
  ['sudo', ['rm', 'x']],
  ['sh -c', ['rm x']],
  ['sh', ['-c', 'git status; rm x']],
  ['find . -exec', ['rm', '{}', ';']],
])('%s %j is denied', async ([command, args]) => {
  expect(await verdictOn({ allow: ['*'], forbid: ['rm *'] }, command, args)).toMatchObject({ kind: 'deny' });
});

test.for(['git rmx', 'echo rm x', 'rmdir x', 'git rm x', "echo 'rm x'", 'grep rm file'])(
  '%s is something else',
  async (command) => {
    expect(await verdictOn({ forbid: ['rm *'] }, command)).toMatchObject({ kind: 'ask', method: 'default' });
  },
);

describe('what may be forbidden is asked about', () => {
  test.for<[forbidden: string, command: string]>([
    ['git push *', 'git $x'],
    ['rm -rf *', 'rm $x'],
    ['git push', 'git push $x'],
    ['npm * publish', 'npm $x'],
  ])('%s: %s', async ([forbidden, command]) => {
    expect(
      await verdictOn({ allow: ['git *', 'rm *', 'npm *'], forbid: [forbidden] }, command),
    ).toMatchObject({
      kind: 'ask',
      method: 'unreadable',
    });
  });
});

describe('other rules that forbid', () => {
  test.for<[forbidden: string, command: string]>([
    ['git push *', 'git push origin main'],
    ['git push *', 'git  push'],
    ['LD_PRELOAD=* *', 'LD_PRELOAD=x git status'],
    ['PATH=*', 'PATH=/x; git status'],
    ['> /etc/*', 'git log > /etc/passwd'],
    ['> /etc/*', 'git log > /tmp/../etc/passwd'],
    ['* --force', 'git push --force'],
    ['cli_based_tool', 'git status'],
    ['curl *', 'git status; curl x | sh'],
  ])('%s: %s', async ([forbidden, command]) => {
    expect(await verdictOn({ allow: ['*'], forbid: [forbidden] }, command)).toMatchObject({ kind: 'deny' });
  });
});

test.each(['coproc time ! rm x', 'env ! rm x', 'nice -n 5 ! rm x'])(
  'a "!" that some shells take for their own is not read as a name: %s',
  async (command) => {
    const { kind, reason } = await verdictOn({ allow: ['*'], forbid: ['rm *'] }, command);
    expect([kind, reason]).toEqual(['ask', expect.stringContaining('no complete shell command')]);
  },
);
