// What bash and programs were seen to run although a rule named another command: each of these was let through once. Now it is asked about,
// or runs in the sandbox.
import { describe, expect, test } from 'vitest';
import { endOf, policyOf, shellCall, verdictOn } from '../../../../test/support/gate/policy.ts';

const programs =
  'git cat echo ls awk sed sort split find xargs env strace time sudo printf go curl npm docker openssl';
const patterns = ['true', ...programs.split(' ').map((name) => `${name} *`)];

const ways: Readonly<Record<string, readonly string[]>> = {
  'quotes in a here-document quote nothing': [
    "cat <<E\n${x:-'$(touch m)'}\nE",
    "cat <<E\n${x:-'`touch m`'}\nE",
    "cat <<-E\n\t${x-a'$(touch m)'}\n\tE",
    "cat <<E\n${x:-${y:-'$(touch m)'}}\nE",
    "echo $(cat <<E\n${x:+'$(touch m)'}\nE\n)",
  ],
  'quotes in an expansion in quotes quote otherwise': [
    'echo "${y:-"${x:-$\'$(touch m)\'}"}"',
    "echo \"$'${y:-$'${x:-`touch m`}'}'\"",
    'cat <<<"$\'${y:-$\'${x-"}"${q:-$(touch m)}}\'}\'"',
    'case "${y:-"${x:?\\"<(touch m)\\"}"}" in a) echo;; esac',
  ],
  'an array that is none': [
    'x=($(touch m))a; echo',
    'x+=(`touch m`)c; echo',
    'true && x=(<(touch m))done && echo',
  ],
  'two parentheses that are no calculation': [
    "((cat <<-E\n\ta\n\tE\necho 'b' #${x:-[a] $'\\''}\n); echo c)",
    "echo $((echo '\"' #\\#\n) # $(case a in a) touch m;; esac)\n)",
  ],
  'a calculation whose end bash does not find': [
    'echo $((1 + $(cat <<"E" ?\n${x:-\\"a\'}\nE\necho)))',
    'echo $((1 + $(case "\'"$\\\' in ({a,b}c}|$(true # *\n)) [[ * == % ]];& *) x+=\\` ;;& esac)))',
  ],
  'an expansion over two lines': ['cat <<E\n$\\\n(((echo a); touch m) )\nE', 'echo "$\\\n(touch m)"'],
  'a here-document in backticks': [
    "echo `cat <<'E'\nE\\\n\ntouch m\nE`",
    'echo "`cat <<\\E\nE\\\n\ntouch m\nE\n`"',
  ],
  'a here-document in a here-document': [
    'cat <<E2\n\\\\$(cat <<"E"\nE\\\n\ntouch m\nE\n)\nE2',
    "cat <<F\n${x:-$(cat <<'E'\nE\\\n\ntouch m\nE\n)}\nF",
  ],
  'an option of one letter after two dashes': [
    "sed --e='1e touch m' < f",
    'sed --i s/a/b/ f',
    'sort --o=m f',
    "split --f='touch m' f",
  ],
  'an option that is the value of another takes none itself': [
    'awk -F -v \'BEGIN{system("touch m")}\'',
    'git --namespace --namespace config alias.x y',
  ],
  'a letter that takes a value after one subcommand and none after another': [
    "git rebase -m -x 'touch m' HEAD~1",
    'git log -m --output=m',
    'git show -m --output m',
    'x=--output=m; git log -m "$x"',
  ],
  'the end of a command of find that only the shell will know': [
    'x=; find . -exec echo \';\'"$x" -exec touch m \\;',
    'x=; find . -exec echo {} \'+\'"$x" -exec touch m \\;',
    'find . -exec echo "\\$x" {} + -exec touch m \\;',
  ],
  'words that xargs appends although it was to replace': [
    'echo --output=m | xargs -I {} -L 1 git log',
    'echo --output=m | xargs -I {} -n 1 git log',
    'echo --output=m | xargs -I {} -l git log',
    'echo --output=m | xargs -I {} --max-args=1 git log',
  ],
  'options of those that run another command': [
    "strace -o '|touch m' ls",
    'strace -E LD_PRELOAD=x ls',
    'env -C /tmp git status',
    'env --chdir=/tmp git status',
    'sudo -D /tmp git status',
    '\\time -o m ls',
    "env 'a.b=1' PATH=/tmp git status",
  ],
  'the same option in another dress': [
    'go test --exec=./x ./...',
    'curl -#o m http://localhost',
    'npm exe touch m',
    'npm ins evil',
    'npm isntall evil',
    'docker container exec c touch m',
    'openssl enc --out m',
  ],
  'programs that a subcommand of git is given': ['git merge-index touch -a', 'git -P merge-index touch -a'],
};

describe.each(Object.entries(ways))('%s', (_, commands) => {
  test.each(commands)('%j', async (command) => {
    const end = endOf(await verdictOn({ allow: patterns }, command));
    expect(['asked', 'confined']).toContain(end);
  });
});

describe('where everything is allowed but rm', () => {
  const policy = policyOf({ defaultPolicy: 'allow', deny: ['rm *'] });
  test.each([
    'mapfile -C "rm x #" -c 1 < f',
    'compgen -C "rm x"',
    'alias a="rm x"',
    'source <(echo rm x)',
    '. /dev/stdin <<< "rm x"',
    'jobs -x rm x',
    'fc -s rm',
    'bash /dev/stdin <<<"rm x"',
    'bash <(echo rm x)',
    'cat f | sh $0',
  ])('what is not literal is asked about: %j', async (command) => {
    expect(await policy.decide(shellCall(command))).toMatchObject({ kind: 'ask', method: 'unreadable' });
  });

  test.each([
    'env - rm x',
    'chronic rm x',
    'ifne -n rm x',
    'choom -n 1 -- rm x',
    'eatmydata rm x',
    "env 'a.b=1' rm x",
    'env -i - rm x',
    '/lib64/ld-linux-x86-64.so.2 /bin/rm x',
    'xterm -e rm x',
    'sh /proc/self/fd/0',
    'uname26 rm f',
    'runcon x rm f',
    'busybox rm x',
  ])('what runs another command does it in the sandbox: %j', async (command) => {
    expect(endOf(await policy.decide(shellCall(command)))).toBe('confined');
  });
});

describe('what is meant still passes', () => {
  test.each([
    'git commit -m "-u and -x and --output are words"',
    'git tag -a v1 -m "-o"',
    "awk -F , -v n=1 '{ print n }' f",
    'find . -name x -exec echo {} \\;',
    'find . -exec echo {} +',
    'ls | xargs -I {} echo {}',
    'env -u FOO git status',
    'sort --reverse f',
    'git log --oneline -5',
  ])('%j', async (command) => {
    expect(endOf(await verdictOn({ allow: patterns }, command))).toBe('confined');
  });

  test.each([
    'git commit --amend -m "$x"',
    'cat <<E\n$x and ${y:-none} it\'s "fine"\nE',
    "cat <<'E'\n${x:-'y'}\nE",
  ])('and what is not literal is asked about: %j', async (command) => {
    expect(endOf(await verdictOn({ allow: patterns }, command))).toBe('asked');
  });
});
