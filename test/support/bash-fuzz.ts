// Random words and lines, and what a real bash makes of those that are read as literal: other words, another order or another end is a hole.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { readLine, type Step } from '../../src/gate/policy/shell/read-line.ts';
import { damaged, numbers, pick, shellScripts, type Random } from './shell-scripts.ts';
import { temporaryFolder } from './temporary-folder.ts';

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
    // A name with a folder is not looked for by name, so bash does not tell of it.
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
