// Files that redirections open. To write one is a thing of its own: no rule for a command covers it.
import path from 'node:path';
import type { Redirection } from 'unbash';
import type { ShellCommand } from './shell-command.ts';
import { isOwnVariable } from './variables.ts';
import { plainWord, type ShellWord, wordOf } from './words.ts';

/** Undefined where no file is opened, a text where it cannot be told. */
export function redirected(redirection: Redirection): ShellCommand | string | undefined {
  const { descriptor } = redirection;
  if (descriptor?.type === 'FileDescriptorVariable' && !isOwnVariable(descriptor.name)) {
    return `it sets the variable ${descriptor.name} by a redirection`;
  }
  switch (redirection.type) {
    case 'HereDoc':
      if (redirection.closing === undefined) return 'it has a here-document without an end';
      return /^[\w.-]+$/.test(redirection.delimiter?.value ?? '')
        ? undefined
        : 'it has a here-document with an unusual end';
    case 'HereString':
      return redirection.target ? undefined : 'it has a here-string without text';
    case 'Redirect': {
      const { target, operator } = redirection;
      if (!target) return 'it has a redirection without a file';
      const file = normalized(wordOf(target));
      if (operator.endsWith('&') && /^(?:\d+-?|-)$/.test(file.text ?? '')) return undefined;
      if (harmless.has(file.text ?? '')) return undefined;
      const reads = operator === '<' && file.text !== undefined && !file.text.startsWith('/dev/');
      const kind = reads ? 'read' : 'write';
      return { kind, assignments: [], words: [plainWord(reads ? '<' : '>'), file], inner: [] };
    }
  }
}

/** `a/../b` is `b` to a rule, so that `> build/*` holds what it says. */
function normalized(word: ShellWord): ShellWord {
  return word.text === undefined
    ? word
    : { ...word, named: word.text, text: path.posix.normalize(word.text) };
}

const harmless = new Set(['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/stdin', '/dev/zero']);
