// The list of commands that only read: what is on it, what is not, and where it runs.
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { endOf, noSandbox, policyOf, shellCall } from '../../../../test/support/gate/policy.ts';
import { link, temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import type { Verdict } from '../policy.ts';
import { readLine } from './read-line.ts';
import { readOnlyCommand } from './read-only.ts';

function listed(line: string): boolean {
  const reading = readLine(line);
  if (reading.kind === 'other') throw new Error(`${line} ${reading.reason}`);
  return reading.steps.every(({ pipeline }) =>
    pipeline.every((words) => readOnlyCommand(words) !== undefined),
  );
}

test.for([
  'git status',
  'git status -sb',
  'git status --porcelain=v2 -uno',
  'git --no-pager log --oneline -20',
  'git log -n 5 --author=ann --since "2 weeks ago" -- src/a.ts',
  "git log --format='%h %s' --graph --all",
  'git log -p -S needle -- src',
  'git diff --stat HEAD~3..HEAD -- src test',
  'git diff --cached --name-only',
  'git show HEAD~1:src/a.ts',
  'git show --stat abc123',
  'git branch',
  'git branch -a',
  'git branch --show-current',
  "git branch --list 'feature/*'",
  'git tag -l',
  'git stash list',
  'git remote -v',
  'git rev-parse --abbrev-ref HEAD',
  'git blame -L 1,20 src/a.ts',
  'git ls-files -m',
  'git grep -n TODO -- src',
  'ls',
  'ls -la src',
  'ls -lah --color=never',
  'cat a b',
  'cat -n -- -odd',
  'head -n 20 a',
  'head -20 a',
  'tail -n +5 a',
  'wc -l a b',
  'grep -rn TODO src',
  'grep -e -x -e y a',
  "grep --include='*.ts' -r x .",
  'grep -C3 x a',
  'rg -n --glob=*.ts x src'.replace('*', '\\*'),
  'rg -tjs -l x',
  "find . -name '*.ts' -not -path './node_modules/*' -type f",
  "find src \\( -name a -o -name b \\) -newer c -printf '%p\\n'",
  'sort -u a | uniq -c | sort -rn | head',
  'cut -d : -f 1 a',
  'date +%s',
  'du -sh src',
  'stat -c %s a',
  'echo -n hi && printf %s x && test -f a && pwd',
])('%s is on the list', (line) => {
  expect(listed(line)).toBe(true);
});

test.for([
  'git',
  'git commit -m x',
  'git push',
  'git fetch',
  'git -c core.pager=x log',
  'git -C /etc status',
  'git --git-dir=/x status',
  'git --exec-path=/x status',
  'git log --output=x',
  'git log --output x',
  'git diff --ext-diff',
  'git diff --textconv',
  'git diff -O x',
  'git log --author --output=x',
  'git log --date --output=x',
  'git log -S --output=x',
  "git log --format='%G?'",
  "git log --pretty='%h %GS'",
  'git log --show-signature',
  'git branch new',
  'git branch -D x',
  'git branch -d x',
  'git branch -m a b',
  'git tag v1',
  'git tag -d v1',
  'git stash',
  'git stash pop',
  'git remote add x y',
  'git remote show origin',
  'git reflog expire --all',
  'git grep -O x',
  'git grep --open-files-in-pager x',
  'git archive HEAD',
  'git archive --remote=. --exec=x HEAD',
  'git config x y',
  'git submodule foreach x',
  'git constructor',
  'constructor',
  'toString x',
  '/bin/ls',
  './ls',
  'ls --hyperlink=x --foo',
  // On BSD it takes no value: /etc is listed.
  'ls -I /etc',
  'tail -f a',
  'tail --follow a',
  'grep -f pattern a',
  'grep -R x .',
  'rg --pre ./x y',
  'rg -z x',
  'rg --hostname-bin ./x y',
  'find . -delete',
  'find . -exec rm {} \\;',
  'find . -execdir rm {} +',
  'find . -ok rm {} \\;',
  'find . -fprint x',
  'find . -fprintf x y',
  'find . -fls x',
  'find -- . -name a -delete',
  'find -L . -name a',
  'find . -name',
  'find -files0-from x',
  'sort -o a b',
  'sort --output=a b',
  'sort --compress-program=x a',
  'sort -T /x a',
  'uniq a b',
  'date -s now',
  'date 010100002030',
  'diff -l a b',
  'tree -o x',
  'file -z a',
  'file -m x a',
  'wc --files0-from=x',
  'sed -n 1p a',
  'awk x a',
  'env ls',
  'xargs ls',
  'tee x',
  'node -v',
])('%s is not', (line) => {
  expect(listed(line)).toBe(false);
});

test('git runs with everything switched off that runs a program', () => {
  const { words, env } = readOnlyCommand(['git', 'log', '-1']) ?? {};
  expect(words).toEqual(['git', '--no-pager', 'log', '--no-ext-diff', '--no-textconv', '-1']);
  expect(env).toMatchObject({ GIT_OPTIONAL_LOCKS: '0', GIT_CONFIG_KEY_0: 'core.fsmonitor' });
  expect(readOnlyCommand(['git', 'status'])?.words).toEqual(['git', '--no-pager', 'status']);
});

describe('as a rule', () => {
  const accessOf = (verdict: Verdict) =>
    verdict.kind === 'allow' && verdict.execution?.kind === 'words'
      ? verdict.execution.steps.flatMap(({ pipeline }) => pipeline.map(({ sandbox }) => sandbox?.access))
      : verdict.kind;

  test('it gives the project read-only, and what another rule covers as that one says', async () => {
    const policy = policyOf({ defaultPolicy: 'ask', allow: ['@read-only', 'npm *', 'cat *'] });
    const accesses = async (line: string) => accessOf(await policy.decide(shellCall(line)));
    expect(await accesses('git log | head -5')).toEqual(['read-only', 'read-only']);
    expect(await accesses('ls && npm test')).toEqual(['read-only', 'writable']);
    expect(await accesses('cat a')).toEqual(['writable']);
    expect(await accesses('git commit -m x')).toBe('ask');
  });

  test('it is a rule of the session and of `whitelist` too', async () => {
    const policy = policyOf({ defaultPolicy: 'ask' });
    policy.session.allow('@read-only');
    expect(endOf(await policy.decide(shellCall('git status')))).toBe('confined');
    const listed = policyOf({ whitelist: { patterns: ['@read-only'] } });
    expect(endOf(await listed.decide(shellCall('git status')))).toBe('confined');
  });

  test('the class that only reads gets the project read-only', async () => {
    const policy = policyOf({ classes: { readOnly: { patterns: ['make lint'] } } });
    expect(accessOf(await policy.decide(shellCall('make lint')))).toEqual(['read-only']);
  });

  test('without a sandbox it is ls, cat, head, tail, wc and grep on files of the project', async () => {
    const outside = temporaryFolder({ secret: '' });
    const cwd = temporaryFolder({ 'src/a': '', out: link(outside), in: link('src') });
    const policy = policyOf(
      { defaultPolicy: 'ask', allow: ['@read-only'] },
      { cwd, sandbox: () => noSandbox },
    );
    const ends = async (line: string, folder?: string) => {
      const args = folder === undefined ? { command: line } : { command: line, cwd: folder };
      return endOf(await policy.decide({ ...shellCall(line), args }));
    };
    for (const line of ['ls', 'ls src', 'cat src/a | wc -l', 'grep -rn x .', 'head in/a', `cat ${cwd}/src/a`])
      expect([line, await ends(line)]).toEqual([line, 'free']);
    expect(await ends('cat a', 'src')).toBe('free');
    for (const line of [
      'git status',
      'find . -name a',
      'rg x',
      'cat /etc/hostname',
      'cat ../x',
      'cat out/secret',
      `ls ${path.dirname(cwd)}`,
      'grep x out/secret',
      'cat src/a; git status',
      'sort src/a',
    ])
      expect([line, await ends(line)]).toEqual([line, 'asked']);
    expect(await ends('cat a', 'out')).toBe('asked');
  });
});

describe('where there is no sandbox', () => {
  const policy = policyOf(
    { defaultPolicy: 'ask', allow: ['git *', { rule: 'gh *', unsandboxed: true }] },
    { sandbox: () => noSandbox },
  );

  test('commands are asked about, and the reason says how to get one', () => {
    expect(policy.decide(shellCall('git status'))).toMatchObject({
      kind: 'ask',
      method: 'sandbox',
      reason: 'Commands run in the sandbox, and there is none here: It is not installed. Install it.',
    });
  });

  test('unless the rule says that it needs none', () => {
    expect(policy.decide(shellCall('gh pr list'))).toMatchObject({
      kind: 'allow',
      execution: {
        kind: 'words',
        steps: [{ pipeline: [{ words: ['gh', 'pr', 'list'], sandbox: undefined }] }],
      },
    });
    expect(policy.decide(shellCall('gh pr list && git status'))).toMatchObject({ kind: 'ask' });
  });

  test('a default that allows is not enough', () => {
    const open = policyOf({ defaultPolicy: 'allow' }, { sandbox: () => noSandbox });
    expect(open.decide(shellCall('echo hi'))).toMatchObject({ kind: 'ask', method: 'sandbox' });
  });
});

describe('what a rule lets a command do', () => {
  const decide = async (line: string) =>
    policyOf({
      defaultPolicy: 'ask',
      allow: [
        'npm *',
        { rule: 'npm install *', network: true, folders: { '~/.npm': 'writable' } },
        { rule: 'npm publish', unsandboxed: true },
      ],
    }).decide(shellCall(line));

  test.for<[line: string, sandbox: unknown]>([
    ['npm test', { access: 'writable', network: false, folders: [] }],
    [
      'npm install x',
      { access: 'writable', network: true, folders: [{ path: '~/.npm', access: 'writable' }] },
    ],
    ['npm publish', undefined],
  ])('%s', async ([line, sandbox]) => {
    expect(await decide(line)).toMatchObject({
      kind: 'allow',
      execution: { kind: 'words', steps: [{ pipeline: [{ sandbox }] }] },
    });
  });
});

test('where everything is allowed, a command line runs in the sandbox, and nobody is asked', () => {
  const policy = policyOf({ defaultPolicy: 'allow' });
  const hints = { destructive: true };
  const verdict = policy.decide(shellCall('echo hi', [], { hints }));
  expect(verdict).toMatchObject({ kind: 'allow', method: 'default' });
  expect('kind' in verdict && endOf(verdict)).toBe('confined');
  expect(policy.decide(shellCall('echo $x', [], { hints }))).toMatchObject({ kind: 'ask' });
});
