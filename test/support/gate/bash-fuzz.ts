// Random words and lines, and what a real bash makes of those that are read as literal: other words, another order or another end is a hole.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { readLine, type Step } from '../../../src/gate/policy/shell/read-line.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export const bash = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find((file) => fs.existsSync(file));

interface BashFuzz {
  readonly tried: number;
  /** Read as literal, and run by bash. */
  readonly compared: number;
  readonly holes: readonly Hole[];
}

interface Hole {
  readonly text: string;
  readonly expected: readonly string[];
  readonly actual: readonly string[];
}

/** How many lines one bash gets. */
const BATCH = 5000;

export function fuzzBash(program: string, { seed, count }: { seed: number; count: number }): BashFuzz {
  const texts = randomTexts(seed);
  const holes: Hole[] = [];
  let compared = 0;
  for (let tried = 0; tried < count; tried += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - tried) }, () => texts.next().value);
    const result = compareWithBash(program, batch);
    compared += result.compared;
    holes.push(...result.holes);
  }
  return { tried: count, compared, holes };
}

/** The lines of these that are literal, in one bash after the other. */
function compareWithBash(program: string, texts: readonly string[]): Omit<BashFuzz, 'tried'> {
  const cases = texts.flatMap((text) => {
    const reading = readLine(text);
    // A name with a folder is not looked for by name, so bash does not report it.
    const isComparable = reading.kind === 'literal' && !reading.steps.some(hasFolder);
    return isComparable ? [{ text, expected: executed(reading.steps) }] : [];
  });
  const ran = runInBash(
    program,
    cases.map(({ text }) => text),
  );
  const holes = cases.flatMap(({ text, expected }, index) => {
    const actual = ran[index] ?? ['nothing: bash ended before'];
    return JSON.stringify(actual) === JSON.stringify(expected) ? [] : [{ text, expected, actual }];
  });
  return { compared: cases.length, holes };
}

function hasFolder({ pipeline }: Step): boolean {
  return pipeline.some(([name = '']) => name.includes('/'));
}

/** The commands that run, as bash joins them; those of a pipeline run at once, so all are sorted within it. Ends with the exit code. */
function executed(steps: readonly Step[]): string[] {
  const ran: string[] = [];
  let code = 0;
  for (const { after, pipeline } of steps) {
    if ((after === '&&' && code !== 0) || (after === '||' && code === 0)) continue;
    ran.push(...pipeline.map((words) => JSON.stringify(words)).sort());
    const name = pipeline.at(-1)?.[0] ?? '';
    code = codes[name] ?? 127;
  }
  return sorted([...ran, `exit ${code}`]);
}

/** Programs that are there, and how each ends; every other one is not found. */
const codes: Readonly<Record<string, number>> = {
  f: 0,
  ok: 0,
  no: 1,
  seven: 7,
  echo: 0,
  true: 0,
  false: 1,
  pwd: 0,
  test: 1,
  printf: 0,
  kill: 1,
};

function runInBash(program: string, texts: readonly string[]): (string[] | undefined)[] {
  const folder = temporaryFolder({ 'empty/x': '' });
  const file = (name: string) => path.join(folder, name);
  fs.writeFileSync(file('cases'), texts.map((text) => `${text}\0`).join(''));
  fs.writeFileSync(file('log'), '');
  fs.writeFileSync(file('script'), SCRIPT);
  spawnSync(program, ['--noprofile', '--norc', file('script'), file('cases'), file('log')], {
    cwd: file('empty'),
    env: { PATH: '/nowhere', LC_ALL: 'C.UTF-8' },
    timeout: 120_000,
    killSignal: 'SIGKILL',
    stdio: 'ignore',
  });
  return entriesIn(fs.readFileSync(file('log'), 'utf8'));
}

/**
 * Every command that runs is written to the log: the number of its words, then the words. `#` ends a line, with its exit code.
 * bash writes at every line break, and the commands of a pipeline write at once: a break is logged as \1, which no literal line has.
 */
const SCRIPT = `exec 4< "$1" 3>> "$2"
__log() { builtin printf '%s\\0' "$#" "\${@//$'\\n'/$'\\1'}" >&3; }
${Object.entries(codes)
  .map(([name, code]) => `${name}() { __log ${name} "$@"; return ${code}; }`)
  .join('\n')}
command_not_found_handle() { __log "$@"; return 127; }
readonly -f __log command_not_found_handle ${Object.keys(codes).join(' ')}
while IFS= builtin read -r -d '' -u 4 __text; do
  builtin eval -- "$__text"
  builtin printf '#\\0%s\\0' "$?" >&3
done
`;

function entriesIn(log: string): string[][] {
  const fields = log.split('\0');
  const entries: string[][] = [];
  let ran: string[] = [];
  for (let at = 0; at < fields.length - 1;) {
    const field = fields[at] ?? '';
    if (field === '#') {
      entries.push(sorted([...ran, `exit ${fields[at + 1]}`]));
      ran = [];
      at += 2;
    } else {
      const length = Number(field);
      ran.push(JSON.stringify(fields.slice(at + 1, at + 1 + length).map(withBreaks)));
      at += 1 + length;
    }
  }
  return entries;
}

function withBreaks(logged: string): string {
  return logged.replaceAll('\u0001', '\n');
}

/** Members of a pipeline come in any order. */
function sorted(entries: readonly string[]): string[] {
  return entries.toSorted();
}

/** One text after the other, the same for the same seed: words, lines, and scripts of all of bash's grammar. */
export function* randomTexts(seed: number): Generator<string, never> {
  const random = numbers(seed);
  const scripts = shellScripts(seed);
  for (;;) {
    const kind = random();
    const text = kind < 0.75 ? `f ${wordsOf(random)}` : kind < 0.97 ? lineOf(random) : scripts.next().value;
    // Nothing passes a NUL to bash.
    yield text.replaceAll('\0', '');
  }
}

const safe = [...'abcxyzABC0189_@%+=:,./^-'.split(''), 'é', '日', 'a~', 'a#'];
const pieces = [
  ["''", '""', "'a b'", '"a b"', "'$x'", "'\\'", '" $"', "'`'", '"!"', "'!'", "'{a,b}'", '"*"', '\\ '],
  ['{}', '{x},y}', '{a,b}', '{1..3}', '{a},b}', '{--x="P;,"}..5}', '{,}', '{a', 'b}', '},{', '{x,y', 'a{'],
  ['~', '=~', ':~', '~/a', '#', '#a', 'a#b', '$', '$x', '${x}', '$(f)', '`f`', '*', '?', '[a]', '!', '!!'],
  ['\\\n', '\\\\', '\\"', "\\'", '\\a', '\\$', '\\~', '\\#', '\\{', '\\,', '\\*', "$'a'", '$"a"', "\\'a'"],
  ['if', 'then', 'A=b', 'A+=b', 'a[1]=b', '--x=y', '-x', '--', '%1', '^a^b', '@(a)', '+(a)', '!(a)', '..'],
].flat();

/** Half of them of safe characters alone, the others with every byte below 128. */
function wordsOf(random: Random): string {
  const isSafe = random() < 0.5;
  let text = '';
  for (let left = 1 + Math.floor(random() * 8); left > 0; left -= 1) {
    const kind = random();
    if (kind < 0.2) text += pick([' ', '  ', '\t'], random);
    else if (isSafe || kind < 0.5) text += pick(safe, random);
    else if (kind < 0.8) text += pick(pieces, random);
    else text += String.fromCodePoint(1 + Math.floor(random() * 127));
  }
  return text;
}

const commands = ['ok', 'no', 'seven', 'f', 'echo', 'true', 'false', 'absent', 'test', 'pwd', 'printf'];
const joins = [
  ' && ',
  ' || ',
  '; ',
  ' | ',
  '\n',
  '&&',
  '||',
  ';',
  '|',
  ' &&\n',
  ' |\n',
  ';\n',
  '\n\n',
  ' ||\n ',
];
const quoted = ["'a b'", '"c;d"', "'&&'", '"|"', '""', "';'", '\\;', '\\|', '\\&', '{}', '-n', '--x=y', 'a'];

function lineOf(random: Random): string {
  let text = random() < 0.1 ? pick(['\n', ' ', '\n\n '], random) : '';
  for (let left = 1 + Math.floor(random() * 5); left > 0; left -= 1) {
    text += pick(random() < 0.97 ? commands : keywords, random);
    for (let words = Math.floor(random() * 3); words > 0; words -= 1) text += ` ${pick(quoted, random)}`;
    if (left > 1 || random() < 0.1) text += pick(joins, random);
  }
  return random() < 0.4 ? damaged(text, random) : text;
}

const keywords = [
  'if',
  'time',
  '!',
  'cd',
  'eval',
  '{',
  '[[',
  'A=b',
  'exec',
  ':',
  'x()',
  '%1',
  '-x',
  'source',
];

// Random shell scripts, from a grammar and then damaged: all that bash reads, nested and cut in places where readers differ. Somewhere in
// each is the command `mk`.

/** One script after the other, the same for the same seed. */
function* shellScripts(seed: number): Generator<string, never> {
  const random = numbers(seed);
  for (;;) {
    const grammar = new Grammar(random);
    const script = grammar.command(1 + Math.floor(random() * 4));
    const text = random() < 0.6 ? damaged(script, random) : script;
    if (text.length <= 2000 && text.includes('mk')) yield text;
  }
}

type Random = () => number;
type Rule = () => string;

function numbers(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function pick<Item>(items: readonly [Item, ...Item[]] | readonly Item[], random: Random): Item {
  // The index is below the length, and no list is empty.
  return items[Math.floor(random() * items.length)] as Item;
}

const simpleCommands = ['mk', 'echo a', 'echo', 'cat', '$(mk)', 'mk a', 'true', 'echo'];
const simpleWords = [
  ['a', 'mk', "'mk'", '"$x"', '$x', '\\$', "\\'", '\\"', "''", '""', 'a#b', '{a,b}', '*', '~', '$$', '$#'],
  ['$?', '${#x}', '${x}', '$1', '!', '=', ']', '$', '\\`', '\\\\', "'`'", '"\'"', "'\"'", "$'\\''", '$"a"'],
  ['-', '%', ',', '@', '+', '?', '[a]', '[!a]', "$'a'", "'#'", '"#"', '\\#', '{', '}', 'a{b', '[[', ']]'],
  '$\\\n',
].flat();
const expansions = ':- - := :+ + :? # ## % %% / // /# ^ ^^ , : @ :-'.split(' ');
const quotes = ["'", '"', '', '\\"', "\\'"];

class Grammar {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** A list of complete commands. */
  command(depth: number): string {
    if (depth <= 0) return pick(simpleCommands, this.#random);
    const c = () => this.command(depth - 1);
    const w = () => this.#word(depth - 1);
    const b = () => this.#body(depth - 1);
    return this.#one([
      [() => `echo ${w()} ${w()}`, () => `echo ${w()}`, () => `cat ${w()}`, () => `${w()} ${w()}`],
      [() => `${c()}; ${c()}`, () => `${c()} && ${c()}`, () => `${c()} | ${c()}`, () => `${c()}\n${c()}`],
      [() => `( ${c()} )`, () => `(${c()})`, () => `{ ${c()}; }`, () => `((${c()}); ${c()})`],
      [() => `${c()} & ${c()}`, () => `${c()} |& ${c()}`, () => `${c()} &\n${c()}`, () => `! ${c()}`],
      [() => `cat <<E\n${b()}\nE`, () => `cat <<'E'\n${b()}\nE`, () => `cat <<\\E\n${b()}\nE`],
      [() => `cat <<"E" ${w()}\n${b()}\nE\n${c()}`, () => `cat <<-E\n\t${b()}\n\tE\n${c()}`],
      [() => `cat <<E1 <<E2\n${b()}\nE1\n${b()}\nE2`, () => `cat <<E && echo ${w()}\n${b()}\nE`],
      [() => `{ ${c()}; } <<E\n${b()}\nE`, () => `echo <<<${w()}`, () => `echo < ${w()}`],
      [() => `echo ${w()} >/dev/null`, () => `echo ${w()} 2>&1`, () => `echo ${w()}\\\n${w()}`],
      [() => `if ${c()}; then ${c()}; fi`, () => `for x in ${w()} ${w()}; do ${c()}; done`],
      [() => `for ((;;)); do break; ${c()}; done`, () => `while ${c()}; do break; done`],
      () => `select x in ${w()}; do ${c()}; break; done`,
      () => `case ${w()} in ${w()}) ${c()};; *) ${c()};; esac`,
      () => `case ${w()} in (${w()}|${w()}) ${c()};& *) ${c()} ;;& esac`,
      [() => `[[ ${w()} == ${w()} ]]`, () => `[[ ${w()} =~ ${w()} ]]`, () => `[[ a =~ (${w()}|b) ]]`],
      [() => `[[ ( ${w()} ) && ! ${w()} ]]`, () => `(( ${this.#number(depth - 1)} ))`],
      [() => `x=${w()}`, () => `x=${w()} y=${w()}`, () => `x=(${w()} ${w()})`, () => `x[1]=${w()}`],
      [() => `x+=${w()}`, () => `eval ${w()}`, () => `time ${c()}`, () => `time -p ${c()}`],
      [() => `echo # ${w()}\n${c()}`, () => `echo ${w()} #${w()}\n`],
    ]);
  }

  #word(depth: number): string {
    const simple = () => pick(simpleWords, this.#random);
    if (depth <= 0) return simple();
    const c = () => this.command(depth - 1);
    const w = () => this.#word(depth - 1);
    const n = () => this.#number(depth - 1);
    const q = () => this.#quoted(depth - 1);
    return this.#one([
      [simple, simple, () => w() + w(), () => w() + w() + w(), () => `\\${w()}`],
      [() => `$(${c()})`, () => `$( ${c()} )`, () => `$(\n${c()}\n)`, () => `$\\\n(${c()})`],
      [() => `\`${c().replaceAll(/[`\\]/g, '\\$&')}\``, () => `\`${c()}\``, () => `\${ ${c()}; }`],
      [() => `"${q()}"`, () => `"${q()}${q()}"`, () => `$"${q()}"`],
      [() => `'${c().replaceAll("'", '')}'`, () => `'${c()}'`],
      [() => `$'${c().replaceAll("'", "\\'")}'`, () => `$'${c()}'`],
      () => `\${x${pick(expansions, this.#random)}${w()}}`,
      [() => `\${x/${w()}/${w()}}`, () => `\${x:${w()}:${w()}}`, () => `\${x[${w()}]}`],
      [() => `\${x:-${w()} ${w()}}`, () => `\${x:-${c()}}`, () => `\${!x${w()}}`],
      [() => `$((${n()}))`, () => `$[${n()}]`, () => `$(( ${c()} ))`, () => `$((${c()}) ${c()})`],
      [() => `$((${c()}); ${c()})`, () => `<(${c()})`, () => `>(${c()})`, () => `$(<${w()})`],
      [() => `{${w()},${w()}}`, () => `@(${w()}|${w()})`, () => `$(${c()} # ${w()}\n)`],
      [() => `$(case a in a) ${c()};; esac)`, () => `$(cat <<E\n${this.#body(depth - 1)}\nE\n)`],
    ]);
  }

  /** In double quotes. */
  #quoted(depth: number): string {
    const c = () => this.command(depth);
    const w = () => this.#word(depth);
    const quote = () => pick(quotes, this.#random);
    const ways = ['#', '%', '/', '//', ':-', '+'];
    return this.#one([
      [w, c, () => `$(${c()})`, () => `\`${c()}\``, () => `\\${w()}`, () => `'${w()}'`],
      () => `\${x:-${quote()}${w()}${quote()}}`,
      () => `\${x${pick(ways, this.#random)}${quote()}${c()}${quote()}}`,
    ]);
  }

  /** Of a here-document. */
  #body(depth: number): string {
    const c = () => this.command(depth);
    const q = () => this.#quoted(depth);
    return this.#one([
      [q, () => `${q()}\n${q()}`, () => `'${q()}'`, () => `"${q()}"`, c, () => `E\n${c()}\nE`],
      [() => 'E ', () => ' E', () => 'E\\\n', () => 'E;', () => 'E)', () => `\\\nE\n${q()}`],
      [() => `$\\\n(${c()})`, () => `\\\\$(${c()})`],
    ]);
  }

  #number(depth: number): string {
    const c = () => this.command(depth);
    return this.#one([
      [() => '1', () => '1 + 2', () => '(1)', () => '1 << 2', () => "'1'", () => this.#word(depth)],
      [() => `$(${c()})`, () => `1 + $(${c()})`, () => `\`${c()}\``, () => `1 # ${c()}`],
      [() => `"${this.#quoted(depth)}"`, () => `x[${this.#word(depth)}]`, () => `1)) ; ${c()} ; ((1`],
    ]);
  }

  #one(rules: readonly (Rule | readonly Rule[])[]): string {
    return pick(rules.flat(), this.#random)();
  }
}

const fragments = [
  ...`' " \` \\ $ ( ) { } < > | & ; # ! [ ] = * ~ E (( )) $( \${ $' $" << <<- <<< x mk echo :- - / @ , .. 1 EOF`.split(
    ' ',
  ),
  ...'esac in do done then fi case if for function select time coproc [[ ]] 2 &> >& |& ;; ;& % ^ + =~ ?'.split(
    ' ',
  ),
  ' ',
  '\n',
  '\t',
  '\\\n',
  ...Array.from({ length: 127 }, (_, index) => String.fromCodePoint(index + 1)),
];

/** A few pieces put in, taken out, or there twice. */
function damaged(script: string, random: Random): string {
  let text = script;
  for (let left = Math.floor(random() * 4); left > 0; left -= 1) {
    const at = Math.floor(random() * (text.length + 1));
    const way = random();
    const from = Math.floor(random() * text.length);
    const length = Math.floor(random() * 12);
    if (way < 0.5) text = text.slice(0, at) + pick(fragments, random) + text.slice(at);
    else if (way < 0.8) text = text.slice(0, at) + text.slice(at + 1 + (length % 3));
    else text = text.slice(0, at) + text.slice(from, from + length) + text.slice(at);
  }
  return text;
}
