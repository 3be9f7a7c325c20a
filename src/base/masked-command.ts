// Secrets in command lines, which no name stands before: `curl -u ann:…`, `mysql -p…`, `sshpass -p …`, `PGPASSWORD='…'`. What would run
// something is never masked: whoever is asked about a command has to see it.
import { isHarmless, MASK, PASS_AT_END, SECRET_WORDS } from './secret-shapes.ts';

/** A text with command lines in it. In linear time, whatever the text is. */
export function maskedCommands(text: string, depth = 0, isWithin = true): string {
  if (!hint.test(text)) return text;
  const isPlain = isWithin && !syntax.test(text);
  const mask = wordMask(isPlain ? running : separating);
  return text.replace(word, (one) => {
    const masked = mask(one);
    if (masked !== one || depth >= DEPTH_MAX || !/\s/.test(one)) return masked;
    // What is in quotes may be a command line of its own: `sh -c '…'`.
    return one.replace(
      quoted,
      (inside) => `${inside[0]}${maskedCommands(inside.slice(1, -1), depth + 1, isPlain)}${inside.at(-1)}`,
    );
  });
}

/** The words of one command, the program among them. */
export function maskedWords(words: readonly string[]): string[] {
  return words.map(wordMask(running));
}

/** Quotes in quotes in quotes are nobody's. */
const DEPTH_MAX = 3;
const hint = /(?:^|\s)-[A-Za-z-]|[A-Z\d_]=/;
/** With one of these a shell may see quotes where we see none, and commands where we see quotes. */
const syntax = /[\n\r`#]|\$['"({[]|<</;
/** What is never masked: what would run, and where quotes are not sure, whatever has more than one word. */
const running = /\$\(|`|[<>]\(|\$\{|\$$/;
const separating = /[\s;&|<>()`$]/;
const quoted = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g;
/** A word with its quotes, or a sign between two commands. */
const word = /(?:[^\s"'\\;&|<>()`]|\\[^]|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|["'\\])+|[;&|()`]+/g;

interface Options {
  /** The next word is one. */
  readonly separate?: readonly string[];
  /** The rest of the word is one. */
  readonly attached?: readonly string[];
}

const programs: ReadonlyMap<string, Options> = new Map(
  Object.entries({
    sshpass: { separate: ['-p'], attached: ['-p'] },
    'mysql mysqldump mysqladmin mysqlimport mysqlshow mysqlcheck mysqlslap mariadb mariadb-dump mariadb-admin mycli':
      { attached: ['-p'] },
    'mongo mongosh mongodump mongorestore mongoexport mongoimport': { separate: ['-p'] },
    'redis-cli': { separate: ['-a', '--pass'] },
    'ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami': { separate: ['-w'], attached: ['-w'] },
    'sqlcmd bcp': { separate: ['-P'], attached: ['-P'] },
    'zip unzip': { separate: ['-P'] },
    '7z 7za 7zr': { attached: ['-p'] },
    'curl docker podman nerdctl': {},
  }).flatMap(([names, options]) => names.split(' ').map((name): [string, Options] => [name, options])),
);

/** There, `-u` is who a container runs as. */
const containers = new Set(['docker', 'podman', 'nerdctl']);
// Fewer than elsewhere: whoever is asked about a command has to see what is no secret.
const secretWord = new RegExp(`${SECRET_WORDS}|${PASS_AT_END}`, 'i');
const secretVariable = /_PWD$|(?:^|_)(?:AUTH|PAT|DSN|KEY)$/;

function isSecretVariable(name: string): boolean {
  return secretWord.test(name) || secretVariable.test(name);
}

function isSecretOption(name: string): boolean {
  return /^--?[\w-]+$/.test(name) && secretWord.test(name);
}

/** To be given the words one after the other. */
function wordMask(shown: RegExp): (word: string) => string {
  const { secret, named, login } = masks(shown);
  let program = '';
  let next: ((value: string) => string) | undefined;
  return (one) => {
    const bare = one.replace(/["'\\]/g, '');
    const given = next;
    next = undefined;
    if (/^[;&|()`]+$/.test(one)) {
      program = '';
      return one;
    }
    const masked = given?.(one);
    if (masked !== undefined && masked !== one) return masked;

    const [, variable = '', assigned = ''] = /^([A-Z_][A-Z\d_]*)=(.*)$/s.exec(one) ?? [];
    if (isSecretVariable(variable) && !isHarmless(assigned)) return `${variable}=${secret(assigned)}`;
    const name = bare.slice(bare.lastIndexOf('/') + 1);
    if (programs.has(name)) {
      program = name;
      return one;
    }
    if (!bare.startsWith('-')) return one;

    const { separate = [], attached = [] } = programs.get(program) ?? {};
    if (separate.includes(bare)) {
      // What sshpass runs has options of its own.
      if (program === 'sshpass') program = '';
      next = secret;
      return one;
    }
    const start = attached.find((option) => one.startsWith(option) && one.length > option.length);
    if (start !== undefined && !bare.startsWith('--')) return `${start}${secret(one.slice(start.length))}`;
    return option(one, bare);
  };

  function option(one: string, bare: string): string {
    const end = one.indexOf('=');
    const name = end === -1 ? bare : one.slice(0, end);
    const isLogin = /^(?:-[uU]|--user|--proxy-user)$/.test(name) && !containers.has(program);
    if (end !== -1 && isLogin) return `${name}=${login(one.slice(end + 1))}`;
    if (end !== -1 && isSecretOption(name)) return `${name}=${named(one.slice(end + 1))}`;
    if (isLogin) next = login;
    else if (end === -1 && isSecretOption(name)) next = named;
    else if (program === 'curl') {
      // Letters of one word: `-su ann:…`, `-uann:…`.
      const [, letters, value] = /^(-[#a-zA-Z]*?[uU])(.*)$/s.exec(one) ?? [];
      if (letters !== undefined && value === '') next = login;
      else if (letters !== undefined && value !== undefined) return `${letters}${login(value)}`;
    }
    return one;
  }
}

/** What is left of a value, by what it is the value of. */
function masks(shown: RegExp) {
  const secret = (value: string): string =>
    shown.test(value) || /^(?:""|''|["']?\$(?:\w+|\{\w+\})["']?|)$/.test(value) ? value : MASK;
  return {
    secret,
    /** Of an option of such a name: not where it is an option itself, or says nothing. */
    named: (value: string) => (value.startsWith('-') || isHarmless(value) ? value : secret(value)),
    /** `name:password`; two small numbers are a user and a group. */
    login: (value: string): string => {
      const at = value.indexOf(':');
      if (at === -1 || /^["']?\d{1,6}:\d{1,6}["']?$/.test(value)) return value;
      const start = value.slice(0, at + 1);
      const quote = /^["']/.exec(value)?.[0] ?? '';
      const end = quote !== '' && value.endsWith(quote) ? quote : '';
      return `${start}${secret(value.slice(at + 1, value.length - end.length))}${end}`;
    },
  };
}
