// The commands behind the rule `@read-only`: what is known to do nothing but read, with the options that each may have. Whatever is not
// in the table is not on the list.

/** How a rule names the list. */
export const READ_ONLY_LIST = '@read-only';

export interface ReadOnlyCommand {
  /** Also what switches off that the program runs others. */
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What it reads, where nothing else confines it to the project; undefined for a command that needs the sandbox. */
  readonly paths: readonly string[] | undefined;
}

export function readOnlyCommand(words: readonly string[]): ReadOnlyCommand | undefined {
  const [name = '', ...args] = words;
  if (name === 'git') return gitCommand(args);
  if (name === 'find') return isSearch(args) ? { words, paths: undefined } : undefined;
  const entry = Object.hasOwn(table, name) ? table[name] : undefined;
  const paths = entry && pathsOf(entry, args);
  return paths && { words, paths: withoutSandbox.has(name) ? paths : undefined };
}

/** These read the files that they are given and no others, whatever stands in those. */
const withoutSandbox = new Set(['cat', 'grep', 'head', 'ls', 'tail', 'wc']);

/**
 * Options and operands. `-abc` are letters without a value, `-n=count` has one, `--color?word` may have one after `=`, `-#` is a number.
 * Operands: `any` words at all; `text path` one text, then paths; `format` after a plus; `listed` only after --list.
 */
type Entry = readonly [
  options: string,
  operands: 'none' | 'any' | 'text' | 'path' | 'one path' | 'text path' | 'format' | 'listed',
];

const table: Readonly<Record<string, Entry>> = {
  basename: ['-az -s=text --multiple --zero --suffix=text', 'text'],
  cat: [
    '-AbEensTtuv --show-all --number --number-nonblank --squeeze-blank --show-ends --show-tabs --show-nonprinting',
    'path',
  ],
  cmp: ['-bls -n=count --print-bytes --silent --quiet --verbose --bytes=count', 'path'],
  cut: [
    '-snz -b=word -c=word -d=any -f=word --bytes=word --characters=word --delimiter=any --fields=word --complement --only-delimited --output-delimiter=any',
    'path',
  ],
  date: ['-uR -I --utc --rfc-email --iso-8601?word', 'format'],
  df: ['-ahHikPT --all --human-readable --si --inodes --total', 'path'],
  diff: [
    '-abBcdeinNpqrsTtuwy -U=count -C=count -x=text --brief --unified?count --context?count --recursive --new-file --side-by-side --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --exclude=text --color?word --width=count',
    'path',
  ],
  dirname: ['-z --zero', 'text'],
  du: [
    '-abchHkmPsSx0 -d=count -B=word -t=count --all --apparent-size --bytes --total --human-readable --summarize --max-depth=count --exclude=text --one-file-system',
    'path',
  ],
  echo: ['', 'any'],
  false: ['', 'any'],
  file: ['-bikLhNr0 --brief --mime --mime-type --mime-encoding', 'path'],
  grep: [
    '-EFGPivwxcLloqsnHhbaITZzr -e=any -m=count -A=count -B=count -C=count -# --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --files-with-matches --files-without-match --only-matching --quiet --silent --no-messages --line-number --with-filename --no-filename --byte-offset --text --null --recursive --regexp=any --max-count=count --after-context=count --before-context=count --context=count --include=text --exclude=text --exclude-dir=text --color?word --binary-files=word',
    'text path',
  ],
  head: ['-qvz -n=count -c=count -# --lines=count --bytes=count --quiet --silent --verbose', 'path'],
  id: ['-agGnruz', 'text'],
  ls: [
    '-1AaBbCcdFfGghiklmnopQqRrSstUuvXx -w=count --all --almost-all --author --classify --directory --full-time --group-directories-first --human-readable --inode --no-group --numeric-uid-gid --recursive --reverse --si --size --color?word --sort=word --time=word --time-style=text --format=word --ignore=text --indicator-style=word --quoting-style=word',
    'path',
  ],
  nl: ['-p -b=word -n=word -s=any -v=count -w=count', 'path'],
  printf: ['', 'any'],
  pwd: ['-LP', 'none'],
  readlink: ['-efmnqsz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline', 'path'],
  realpath: ['-emLPqsz --relative-to=path --relative-base=path', 'path'],
  rev: ['', 'path'],
  rg: [
    '-FiSsvwxclonNHIhuUaqpPL0 -e=any -g=text -t=word -T=word -m=count -A=count -B=count -C=count -d=count --fixed-strings --ignore-case --smart-case --case-sensitive --invert-match --word-regexp --line-regexp --count --count-matches --files --files-with-matches --files-without-match --only-matching --line-number --no-line-number --with-filename --no-filename --hidden --no-ignore --no-ignore-vcs --multiline --text --heading --no-heading --json --null --stats --trim --vimgrep --column --type-list --no-config --no-messages --pretty --quiet --regexp=any --glob=text --iglob=text --type=word --type-not=word --max-count=count --max-depth=count --after-context=count --before-context=count --context=count --color=word --sort=word --sortr=word --max-columns=count --max-filesize=word',
    'text path',
  ],
  sort: [
    '-bcdfghiMnRrsuVz -k=word -t=any --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --month-sort --numeric-sort --reverse --version-sort --check --unique --stable --key=word --field-separator=any',
    'path',
  ],
  stat: ['-Lft -c=text --dereference --terse --format=text', 'path'],
  tac: ['-br -s=any', 'path'],
  tail: ['-qvz -n=count -c=count -# --lines=count --bytes=count --quiet --silent --verbose', 'path'],
  test: ['', 'any'],
  tr: ['-cCdst --complement --delete --squeeze-repeats --truncate-set1', 'any'],
  tree: [
    '-aCdDfFghijJlnNpQrstuUvxX -I=text -L=count -P=text --dirsfirst --du --filelimit=count --gitignore --noreport --prune --si --sort?word',
    'path',
  ],
  true: ['', 'any'],
  uname: ['-aimnoprsv --all --kernel-name --kernel-release --machine --operating-system', 'none'],
  uniq: ['-cdDiuz -f=count -s=count -w=count --count --repeated --unique --ignore-case', 'one path'],
  wc: ['-cLlmw --bytes --chars --lines --words --max-line-length', 'path'],
  which: ['-a', 'text'],
  whoami: ['', 'none'],
};

const commits =
  '-n=count --max-count=count --skip=count -# --oneline --graph --all --decorate?word --no-decorate --abbrev-commit --abbrev=count --reverse --merges --no-merges --first-parent --follow --branches?text --tags?text --remotes?text --date-order --topo-order --author-date-order --left-right --cherry-pick --cherry-mark --since=text --until=text --after=text --before=text --author=text --committer=text --grep=text --all-match --invert-grep -iEFP --regexp-ignore-case --extended-regexp --fixed-strings --format=format --pretty?format --date=text --no-walk --boundary --ancestry-path --simplify-by-decoration --full-history --parents --children --not';
const changes =
  '-pusRwbzaM -U=count -G=text -S=text -L=text --patch --no-patch --stat?word --shortstat --numstat --dirstat --summary --name-only --name-status --raw --unified=count --word-diff?word --color?word --no-color --color-words --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-blank-lines --find-renames?word --find-copies?word --no-renames --diff-filter=word --diff-algorithm=word --minimal --patience --histogram --pickaxe-regex --pickaxe-all --full-index --binary --check --exit-code --quiet --text --relative?text --submodule?word --ignore-submodules?word --function-context --no-ext-diff --no-textconv --no-prefix --compact-summary';

/** Operands are names of commits and files. */
const gitTable: Readonly<Record<string, Entry>> = {
  blame: [
    '-bcefnpstwM -L=text --line-porcelain --porcelain --show-email --show-name --show-number --root --date=word',
    'path',
  ],
  branch: [
    '-arvlqi --all --remotes --list --verbose --show-current --contains=text --no-contains=text --merged?text --no-merged?text --points-at=text --sort=text --format=format --column?word --no-column --color?word --no-color --ignore-case --abbrev=count',
    'listed',
  ],
  'cat-file': ['-tspe', 'path'],
  'count-objects': ['-vH --verbose --human-readable', 'none'],
  describe: [
    '--all --tags --long --always --contains --exact-match --first-parent --abbrev=count --match=text --exclude=text --candidates=count --dirty?word',
    'path',
  ],
  diff: [`${changes} --cached --staged --merge-base --no-index`, 'path'],
  'for-each-ref': [
    '--count=count --sort=text --format=format --points-at=text --merged?text --no-merged?text --contains=text --no-contains=text',
    'path',
  ],
  grep: [
    '-nHhilLvwEFGPcpWaIoq -e=any -A=count -B=count -C=count -# -m=count --line-number --ignore-case --files-with-matches --name-only --count --word-regexp --extended-regexp --fixed-strings --perl-regexp --show-function --function-context --cached --untracked --heading --break --max-depth=count --max-count=count --color?word --no-color --and --or --not --all-match',
    'text path',
  ],
  log: [`${commits} ${changes} --source --mailmap`, 'path'],
  'ls-files': [
    '-cdmostuvzk --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory --exclude-standard --full-name --error-unmatch --abbrev?count --eol',
    'path',
  ],
  'ls-tree': ['-drtlz --long --name-only --name-status --full-name --full-tree --abbrev?count', 'path'],
  'merge-base': ['-a --all --octopus --independent --is-ancestor --fork-point', 'path'],
  'name-rev': ['--tags --all --name-only --always --refs=text', 'path'],
  reflog: [commits, 'none'],
  remote: ['-v --verbose', 'none'],
  'rev-list': [`${commits} --count --objects --left-only --right-only`, 'path'],
  'rev-parse': [
    '-q --verify --quiet --short?count --abbrev-ref?word --symbolic --symbolic-full-name --show-toplevel --show-prefix --show-cdup --git-dir --git-common-dir --absolute-git-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --show-object-format --all --branches?text --tags?text --remotes?text --sq-quote',
    'path',
  ],
  shortlog: [
    '-nsec -w=word --numbered --summary --email --committer --all --no-merges --since=text --until=text --author=text --group=text',
    'path',
  ],
  show: [`${commits} ${changes}`, 'path'],
  'show-ref': ['-dq --heads --tags --head --verify --dereference --hash?count --abbrev?count', 'path'],
  stash: ['', 'listed'],
  status: [
    '-sbzv --short --branch --porcelain?word --long --verbose --show-stash --untracked-files?word --ignored?word --ignore-submodules?word --ahead-behind --no-ahead-behind --renames --no-renames --column?word --no-column -u?word',
    'path',
  ],
  tag: [
    '-lni --list --contains=text --no-contains=text --merged?text --no-merged?text --points-at=text --sort=text --format=format --column?word --ignore-case',
    'listed',
  ],
  version: ['--build-options', 'none'],
};

/** What the table has, for people. */
export const readOnlyPrograms = { git: Object.keys(gitTable), others: Object.keys(table) };

/** Git reads configuration that names programs; none of them is to run. */
const gitSettings: readonly (readonly [key: string, value: string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.untrackedCache', 'false'],
  ['core.sshCommand', 'false'],
  ['credential.helper', ''],
  ['log.showSignature', 'false'],
  ['gpg.program', 'false'],
  ['maintenance.auto', 'false'],
  ['protocol.allow', 'never'],
  ['diff.ignoreSubmodules', 'all'],
  ['status.submoduleSummary', 'false'],
];

const gitEnvironment: Readonly<Record<string, string>> = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_COUNT: String(gitSettings.length),
  ...Object.fromEntries(
    gitSettings.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
};

/** Subcommands that show contents, which drivers of the repository could convert by a program. */
const showsContents = new Set(['blame', 'diff', 'grep', 'log', 'reflog', 'show']);

function gitCommand(args: readonly string[]): ReadOnlyCommand | undefined {
  const at = args.findIndex((word) => word !== '--no-pager' && word !== '-P');
  const [subcommand = '', ...rest] = args.slice(Math.max(at, 0));
  const entry = Object.hasOwn(gitTable, subcommand) ? gitTable[subcommand] : undefined;
  if (entry === undefined || pathsOf(entry, subcommand === 'stash' ? stashList(rest) : rest) === undefined)
    return undefined;
  const off = !showsContents.has(subcommand)
    ? []
    : subcommand === 'grep' || subcommand === 'blame'
      ? ['--no-textconv']
      : ['--no-ext-diff', '--no-textconv'];
  return { words: ['git', '--no-pager', subcommand, ...off, ...rest], env: gitEnvironment, paths: undefined };
}

/** `git stash list` alone. */
function stashList(rest: readonly string[]): readonly string[] {
  return rest.length === 1 && rest[0] === 'list' ? [] : ['-'];
}

/** Folders, then tests; no action but to print. */
function isSearch(args: readonly string[]): boolean {
  const start = args.findIndex((word) => /^[-(!]/.test(word));
  const expression = start === -1 ? [] : args.slice(start);
  for (let at = 0; at < expression.length; at += 1) {
    const word = expression[at] ?? '';
    if (tests.has(word)) continue;
    if (!testsWithValue.has(word) || at + 1 === expression.length) return false;
    at += 1;
  }
  return true;
}

const tests = new Set(
  '( ) ! -not -a -and -o -or -print -print0 -prune -ls -empty -readable -writable -executable -xdev -mount -depth -daystart -nouser -nogroup -true -false -quit'.split(
    ' ',
  ),
);
const testsWithValue = new Set(
  '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -maxdepth -mindepth -mtime -mmin -atime -amin -ctime -cmin -newer -newermt -perm -user -group -uid -gid -links -inum -samefile -lname -ilname -printf'.split(
    ' ',
  ),
);

/** The operands that are paths; undefined where something is not in the table. */
function pathsOf([options, operands]: Entry, args: readonly string[]): readonly string[] | undefined {
  if (operands === 'any') return [];
  const known = optionsIn(options);
  const given: string[] = [];
  const seen = new Set<string>();
  const takes = (kind: Kind | undefined, value: string | undefined) => {
    if (kind === undefined || value === undefined || !kinds[kind].test(value)) return false;
    if (kind === 'path') given.push(value);
    return true;
  };
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (word === '--') {
      given.push(...args.slice(at + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      given.push(word);
      continue;
    }
    if (known.has('-#') && /^-\d+$/.test(word)) continue;
    if (word.startsWith('--')) {
      const [name = ''] = word.split('=', 1);
      const option = known.get(name);
      seen.add(name);
      if (option === undefined) return undefined;
      if (word.includes('=')) {
        if (!takes(option.kind, word.slice(name.length + 1))) return undefined;
      } else if (option.isRequired) {
        at += 1;
        if (!takes(option.kind, args[at])) return undefined;
      }
      continue;
    }
    for (let letter = 1; letter < word.length; letter += 1) {
      const option = known.get(`-${word[letter]}`);
      seen.add(`-${word[letter]}`);
      if (option === undefined) return undefined;
      if (option.kind === undefined) continue;
      const rest = word.slice(letter + 1);
      if (rest === '' && !option.isRequired) break;
      if (rest === '') at += 1;
      if (!takes(option.kind, rest === '' ? args[at] : rest)) return undefined;
      break;
    }
  }
  switch (operands) {
    case 'none':
      return given.length === 0 ? given : undefined;
    case 'listed':
      return given.length === 0 || seen.has('--list') || seen.has('-l') ? [] : undefined;
    case 'text':
      return [];
    case 'path':
      return given;
    case 'one path':
      return given.length < 2 ? given : undefined;
    case 'format':
      return given.every((one) => one.startsWith('+')) ? [] : undefined;
    case 'text path':
      return seen.has('-e') || seen.has('--regexp') ? given : given.slice(1);
  }
}

type Kind = keyof typeof kinds;

/** Nothing that could be taken for an option, but where the program takes any text. */
const kinds = {
  count: /^[+-]?\d+[A-Za-z]*$/,
  word: /^[\p{L}\p{N}_][\p{L}\p{N}_.,:%@+/-]*$/u,
  text: /^(?!-)/,
  // `%G` asks for a signature, which another program checks.
  format: /^(?!-|.*%G)/s,
  path: /^(?!-)/,
  any: /^/,
};

interface Option {
  readonly kind: Kind | undefined;
  /** The value may be the next word. */
  readonly isRequired: boolean;
}

function optionsIn(text: string): ReadonlyMap<string, Option> {
  const options = new Map<string, Option>();
  for (const one of text.split(' ')) {
    const [, name = '', sign, kind] = /^([^=?]*)(?:([=?])(.*))?$/.exec(one) ?? [];
    // The table names kinds alone; a test tries each of its options.
    const option = { kind: kind as Kind | undefined, isRequired: sign === '=' };
    if (name.startsWith('--') || name.length <= 2) options.set(name, option);
    else for (const letter of name.slice(1)) options.set(`-${letter}`, option);
  }
  return options;
}
