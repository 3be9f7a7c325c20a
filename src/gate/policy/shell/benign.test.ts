// What people and models write day by day: plain words pass the rules that name them, and run in the sandbox; syntax is asked about.
import { describe, expect, test } from 'vitest';
import { endOf, verdictOn } from '../../../../test/support/gate/policy.ts';

type Rows = readonly (readonly [rules: readonly string[], commands: readonly string[]])[];

const plain: Rows = [
  [
    ['git *'],
    [
      'git',
      'git status',
      'git  status',
      ' git status ',
      'git status\n',
      'git log --oneline -10',
      'git log --oneline | git shortlog',
      'git show HEAD~1',
      "git log --format='%h %s' --since=yesterday",
      'git status && git diff',
      'git status; git log',
      'git fetch || git status',
      'git commit -m "Say why: a && b; c | d > e"',
      "git commit -m 'It costs $5, `really`'",
      'git commit -m "Füße ✅"',
      'git checkout -b feature/x',
      'git diff --stat -- src/a.ts src/b.ts',
      'git stash; git pull --rebase; git stash pop',
    ],
  ],
  [['git status'], ['git status', 'git   status', "git 'status'", 'g""it status']],
  [
    ['npm test', 'npm run *'],
    ['npm test', 'npm run build', 'npm run test:unit -- --watch', 'npm test && npm run build'],
  ],
  [['npm run test:*'], ['npm run test:unit', 'npm run test:']],
  [
    ['ls *', 'grep *', 'wc *'],
    ['ls -la', 'ls -la | grep x | wc -l'],
  ],
  [['echo *', 'date *'], ['echo a=b']],
  [
    ['timeout *', 'git *'],
    ['timeout 5 git status', 'timeout -k 1 5s git log'],
  ],
  [
    ['env *', 'git *'],
    ['env git status', 'env -u X git status'],
  ],
  [
    ['bash -c *', 'git *'],
    ['bash -c "git status"', "bash -c 'git status && git log'"],
  ],
  [
    ['bash *', 'git *'],
    ['bash -lc "git status"', 'bash build.sh', 'bash -euo pipefail -c "git log"'],
  ],
  [
    ['xargs *', 'cat *', 'ls *'],
    ['ls | xargs cat', 'ls | xargs -n 1 cat'],
  ],
  [
    ['find *', 'cat *'],
    ['find . -name "*.ts"', 'find . -type f -exec cat {} \\;', 'find . -exec cat {} +'],
  ],
  [['sudo systemctl restart nginx'], ['sudo systemctl restart nginx']],
  [['git -c *'], ['git -c color.ui=never log']],
  [['git * --upload-pack=*'], ['git fetch --upload-pack=/usr/bin/git-upload-pack']],
  [['/usr/bin/git *'], ['/usr/bin/git status']],
  [['./scripts/*'], ['./scripts/build.sh']],
  [['sed *'], ['sed -n 5,10p file.txt', "sed 's/a/b/g' file.txt", "sed -E 's#x#y#' we.txt"]],
  [['awk *'], ["awk '{print $1}' file", "awk -F: '{print $2}' file"]],
  [['python -m pytest *'], ['python -m pytest', 'python -m pytest tests/x.py -q']],
  [['python *'], ['python script.py --flag']],
  [['tar *'], ['tar czf x.tgz src', 'tar -xzf x.tgz']],
  [['node *'], ['node dist/main.js --port 80']],
  [['docker ps *'], ['docker ps', 'docker ps -a']],
  [['cat *', 'sort *'], ['cat x | sort -u']],
];

const withSyntax: Rows = [
  [
    ['git *'],
    [
      'git commit -m "$(git log -1)"',
      'git commit -m "$(git log -1)\n\nmore"',
      'git diff 2>&1',
      'git diff > /dev/null 2>&1',
      'git diff 2>/dev/null | git apply --check',
      'git \\\n  status',
      'git add src/*.ts',
      'git log -- *.ts',
      '(git status)',
      '{ git status; git log; }',
      'if git status; then git log; fi',
      'for f in a b; do git status; done',
      'while git status; do git log; done',
      '! git diff --quiet',
      'time git status',
      'git status # what is new?',
      '# first\ngit status',
      'git apply <<EOF\ndiff\nEOF',
      "git apply <<'EOF'\n$(rm -rf /)\nEOF",
      'case a in a) git status;; *) git log;; esac',
      'git status &',
      'x=$(git rev-parse HEAD)',
    ],
  ],
  [
    ['ls *', 'grep *', 'wc *'],
    ['ls *.ts', 'ls ~/x', 'ls $HOME', 'ls "$x"'],
  ],
  [
    ['echo *', 'date *'],
    ['echo $(date)', 'echo "$HOME is home"', 'echo ${x:-none}', 'echo $((1 + 2))', 'echo {a,b}'],
  ],
  [['xargs *', 'cat *', 'ls *'], ['ls | xargs -I{} cat {}']],
  [['FOO=* npm test'], ['FOO=1 npm test', 'FOO="a b" npm test']],
  [['export NODE_ENV=*', 'npm *'], ['export NODE_ENV=test && npm test']],
  [
    ['git *', '> build/*'],
    ['git log > build/log.txt', 'git log >> build/log.txt', 'git log > build/a/../b 2>&1'],
  ],
  [
    ['cat *', 'sort *'],
    ['cat < x', 'cat <<< hi', 'sort <(cat x) <(cat y)'],
  ],
];

const casesOf = (rows: Rows) =>
  rows.flatMap(([rules, commands]) => commands.map((command) => [command, rules] as const));

test.for(casesOf(plain))('%s passes %j', async ([command, rules]) => {
  expect(endOf(await verdictOn({ allow: rules }, command))).toBe('confined');
});

test.for(casesOf(withSyntax))('%s is asked about, whatever %j say', async ([command, rules]) => {
  expect(endOf(await verdictOn({ allow: rules }, command))).toBe('asked');
});

describe('with words in args', () => {
  test.for<[rules: string[], command: string, args: string[]]>([
    [['git *'], 'git', ['commit', '-m', 'a; rm -rf / && $(x)']],
    [['git commit *'], 'git commit', ['-m', 'x']],
    [['git *'], 'git log | git', ['shortlog']],
    [['ls *'], 'ls', ['*.ts', '$HOME', '~']],
    [['git *'], 'git', []],
  ])('%j: %s %j', async ([rules, command, args]) => {
    expect(await verdictOn({ allow: rules }, command, args)).toMatchObject({ kind: 'allow' });
  });
});

describe('rules say what they say', () => {
  test.for<[rule: string, command: string]>([
    ['git', 'git status'],
    ['git status', 'git status -s'],
    ['git status', 'git'],
    ['npm run test:*', 'npm run test:unit --x'],
    ['npm run test:*', 'npm run build'],
    ['git log *', 'git push'],
    ['git ?tatus', 'git xstatus'],
    ['* status', 'rm status x'],
    ['*git *', './git status'],
    ['> build/*', 'git log > build/x'],
    ['git *', 'git log > build/x'],
    ['> *', '> x git log'],
    ['*', 'git log > x'],
    ['*', 'A=b git log'],
    ['git -c', 'git -c a=b'],
    ['python *', 'python3 -c "x"'],
    ['python3 *', 'echo x | python3'],
    ['find *', 'find . $x'],
    ['curl *', 'curl x -o ~/.bashrc'],
    ['export *', 'export PATH=/evil'],
    ['source *', 'source x'],
    ['sh *', "sh -c $'x'"],
    ['xargs *', 'ls | xargs cat'],
  ])('%s does not cover %s', async ([rule, command]) => {
    expect(await verdictOn({ allow: [rule] }, command)).toMatchObject({ kind: 'ask' });
  });

  test.for<[rule: string, command: string]>([
    ['*', 'git -c a=b log'],
    ['python *', 'python -c "x"'],
    ['node *', 'node -e "x"'],
    ['node *', 'node -pe "x"'],
    ['perl *', 'perl -e x'],
    ['tar *', 'tar --checkpoint-action=exec=sh -cf x y'],
    ['tar *', 'tar cf x --to-command=sh y'],
    ['tar *', 'tar xIf sh y'],
    ['awk *', `awk 'BEGIN{system("id")}'`],
    ['awk *', `awk 'BEGIN{"id"|getline}'`],
    ['awk *', `awk '{print > "x"}' y`],
    ['sed *', "sed '1e id' x"],
    ['sed *', "sed 's/a/b/e' x"],
    ['sed *', "sed 'w x' y"],
    ['sed *', 'sed -i s/a/b/ x'],
    ['sed *', 'sed -n "/x/w y" z'],
    ['vim *', "vim -c ':!sh' x"],
    ['vim *', "vim '+!sh' x"],
    ['less *', "less '+!sh' x"],
    ['man *', 'man -P sh x'],
    ['ssh *', 'ssh -oProxyCommand=sh host'],
    ['ssh *', 'ssh -o ProxyCommand=sh host'],
    ['scp *', 'scp -S sh a b'],
    ['rsync *', 'rsync -e sh a b'],
    ['npm *', 'npm exec x'],
    ['npm *', 'npm x y'],
    ['npm *', 'npm --yes exec x'],
    ['npm *', 'npm run x --script-shell=./evil'],
    ['npx *', 'npx x'],
    ['yarn *', 'yarn dlx x'],
    ['make *', 'make SHELL=./evil'],
    ['make *', 'make -f x'],
    ['go *', 'go test -exec ./evil'],
    ['cargo *', 'cargo --config x=y build'],
    ['find *', 'find . -delete'],
    ['find *', 'find . -fprintf x y'],
    ['fd *', 'fd -x rm'],
    ['rg *', 'rg --pre ./evil x'],
    ['sort *', 'sort --compress-program=./evil x'],
    ['curl *', 'curl -sSLo x y'],
    ['wget *', 'wget -O x y'],
    ['docker *', 'docker run x'],
    ['kubectl *', 'kubectl exec x -- sh'],
    ['gdb *', 'gdb -ex "shell id"'],
    ['printf *', "printf -v 'a[$(rm x)]' y"],
    ['bash *', 'bash -c "git status"'],
    ['bash *', 'bash -i'],
    ['bash *', 'bash'],
    ['sh *', 'sh -c "((git))"'],
    ['timeout *', 'timeout 5 git status'],
    ['timeout *', 'timeout --unknown 5 git status'],
    ['find *', 'find . -exec cat {} \\;'],
    ['sudo *', 'sudo -i'],
    ['env *', 'env FOO=1 git status'],
    ['sudo systemctl restart *', 'sudo systemctl restart nginx'],
  ])('%s lets %s do in the sandbox what it does', async ([rule, command]) => {
    expect(endOf(await verdictOn({ allow: [rule] }, command))).toBe('confined');
  });
});
