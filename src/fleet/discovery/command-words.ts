// Takes a command line of a manifest apart, as far as that is possible without a shell.
import { splitCommandLine } from '../supervisor/command-line.ts';

/** The words of a command line; undefined when only a shell could tell what it means. */
export function commandWords(line: string): string[] | undefined {
  const unquoted = line.replaceAll(/"[^"]*"|'[^']*'/g, '');
  if (/["'|&;<>`()]/.test(unquoted)) return undefined;
  const words = splitCommandLine(line);
  // `NAME=value program` and `$NAME` are a shell's business.
  const needsShell = words.some((one) => /\$(?!\{plugin_dir\})/.test(one)) || /^\w+=/.test(words[0] ?? '');
  return needsShell ? undefined : words;
}
