// Masks secrets in command lines that have no name before them: `curl -u ann:…`, `mysql -p…`, `sshpass -p …`, `PGPASSWORD='…'`. What would
// run something is never masked: a person who is asked about a command has to see it.
import { isHarmless, MASK, PASS_AT_END, SECRET_WORDS } from './secret-shapes.ts';

/** Takes a text with command lines in it. In linear time for any text. */
export function maskedCommands(text: string, depth = 0, isWithin = true): string {
  if (!hint.test(text)) return text;
  const isPlain = isWithin && !syntax.test(text);
  const mask = wordMask(isPlain ? running : separating);
  return text.replace(word, (one) => {
    const masked = mask(one);
    if (masked !== one || depth >= DEPTH_MAX || !/\s/.test(one)) return masked;
    // A quoted part may be a command line: `sh -c '…'`.
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

/** Deeper quotes are not read. */
const DEPTH_MAX = 3;
const hint = /(?:^|\s)-[A-Za-z-]|[A-Z\d_]=/;
/** With one of these a shell may read quotes and commands in other ways than this file does. */
const syntax = /[\n\r`#]|\$['"({[]|<</;
/** Never masked: what would run, and, where the quotes are uncertain, anything of more than one word. */
const running = /\$\(|`|[<>]\(|\$\{|\$$/;
const separating = /[\s;&|<>()`$]/;
const quoted = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g;
/** A word with its quotes, or an operator between two commands. */
const word = /(?:[^\s"'\\;&|<>()`]|\\[^]|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|["'\\])+|[;&|()`]+/g;

interface Options {
  /** The next word is a secret. */
  readonly separate?: readonly string[];
  /** The rest of the word is a secret. */
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

/** Here `-u` is the user of a container. */
const containers = new Set(['docker', 'podman', 'nerdctl']);
// Fewer than elsewhere: a person who is asked about a command has to see all that is not a secret.
const secretWord = new RegExp(`${SECRET_WORDS}|${PASS_AT_END}`, 'i');
const secretVariable = /_PWD$|(?:^|_)(?:AUTH|PAT|DSN|KEY)$/;

function isSecretVariable(name: string): boolean {
  return secretWord.test(name) || secretVariable.test(name);
}

function isSecretOption(name: string): boolean {
  return /^--?[\w-]+$/.test(name) && secretWord.test(name);
}

/** Called with one word after the other. */
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
      // The command that sshpass runs has its own options.
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

/** How a value is masked, by the kind of its option. */
function masks(shown: RegExp) {
  const secret = (value: string): string =>
    shown.test(value) || /^(?:""|''|["']?\$(?:\w+|\{\w+\})["']?|)$/.test(value) ? value : MASK;
  return {
    secret,
    /** Of an option with the name of a secret: not if it is an option itself, or harmless. */
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
