// Shells that are given their script as a word.
import type { ShellWord } from '../words.ts';

export type ShellText =
  | { readonly text: string; readonly shell: 'sh' | 'bash' }
  | { readonly reason: string };

/** Undefined when it is no shell, `none` when it runs a file. */
export function shellText(name: string, words: readonly ShellWord[]): ShellText | 'none' | undefined {
  if (otherShells.has(name)) return { reason: `the language of "${name}" is not known here` };
  if (!shells.has(name)) return undefined;
  let at = 1;
  let hasText = false;
  for (; at < words.length; at += 1) {
    const { text, prefix = '' } = words[at] ?? {};
    if (text === undefined) {
      if (hasText || prefix === '' || prefix.startsWith('-'))
        return { reason: `what "${name}" runs is only known to the shell` };
      return 'none';
    }
    if (text === '--' || text === '-') {
      at += 1;
      break;
    }
    if (!/^[-+]/.test(text)) break;
    if (text === '--login' || text === '--noprofile' || text === '--norc') continue;
    // -o takes the next word with it.
    if (/^-[ceuxvlnfp]*o$/.test(text) && settings.has(words[at + 1]?.text ?? '')) {
      hasText ||= text.includes('c');
      at += 1;
    } else if (/^-[ceuxvlnfp]+$/.test(text)) hasText ||= text.includes('c');
    else return { reason: `"${name}": the option "${text.slice(0, 40)}" is not known here` };
  }
  const operand = words[at];
  if (!hasText) return operand ? 'none' : { reason: `"${name}" takes what it runs from its input` };
  if (operand?.text === undefined) return { reason: `what "${name}" runs is only known to the shell` };
  return { text: operand.text, shell: name === 'bash' || name === 'rbash' ? 'bash' : 'sh' };
}

const shells = new Set(['sh', 'bash', 'dash', 'ash', 'rbash']);
const otherShells = new Set(
  'zsh ksh ksh93 mksh pdksh fish csh tcsh rc es elvish nu xonsh pwsh powershell powershell.exe cmd cmd.exe wsl'.split(
    ' ',
  ),
);
const settings = new Set(['pipefail', 'errexit', 'nounset', 'xtrace', 'verbose', 'noglob']);
