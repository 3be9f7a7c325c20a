// Random shell scripts, from a grammar and then damaged: all that bash reads, nested and cut in places where readers differ. Somewhere in
// each is the command `mk`.

/** One script after the other, the same for the same seed. */
export function* shellScripts(seed: number): Generator<string, never> {
  const random = numbers(seed);
  for (;;) {
    const grammar = new Grammar(random);
    const script = grammar.command(1 + Math.floor(random() * 4));
    const text = random() < 0.6 ? damaged(script, random) : script;
    if (text.length <= 2000 && text.includes('mk')) yield text;
  }
}

export type Random = () => number;
type Rule = () => string;

export function numbers(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function pick<Item>(items: readonly [Item, ...Item[]] | readonly Item[], random: Random): Item {
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

const pieces = [
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
export function damaged(script: string, random: Random): string {
  let text = script;
  for (let left = Math.floor(random() * 4); left > 0; left -= 1) {
    const at = Math.floor(random() * (text.length + 1));
    const way = random();
    const from = Math.floor(random() * text.length);
    const length = Math.floor(random() * 12);
    if (way < 0.5) text = text.slice(0, at) + pick(pieces, random) + text.slice(at);
    else if (way < 0.8) text = text.slice(0, at) + text.slice(at + 1 + (length % 3));
    else text = text.slice(0, at) + text.slice(from, from + length) + text.slice(at);
  }
  return text;
}
