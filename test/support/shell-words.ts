// The words of a line as a shell reads them, as far as documents need it: quotes, but nothing that is replaced.

export function shellWords(line: string): string[] {
  const words: string[] = [];
  for (const [token] of line.matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g))
    words.push(
      token.replaceAll(
        /'([^']*)'|"([^"]*)"|\\(.)/g,
        (_, single?: string, double?: string, escaped?: string) => String(single ?? double ?? escaped),
      ),
    );
  return words;
}
