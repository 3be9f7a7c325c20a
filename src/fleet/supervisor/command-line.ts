// Cuts a command given as one string into words, as manifests write it: `node plugin.js --fast "a b"`.

/** Spaces part words; quotes keep them together; a backslash stays, since it parts folders on Windows, unless it quotes a quote. */
export function splitCommandLine(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === '\\' && isQuote(line.charAt(at + 1)) && quote !== "'") {
      at += 1;
      word = (word ?? '') + line.charAt(at);
    } else if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word = (word ?? '') + character;
    } else if (isQuote(character)) {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

function isQuote(character: string): boolean {
  return character === '"' || character === "'";
}
