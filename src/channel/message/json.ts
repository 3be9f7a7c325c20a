// The one place where wire text becomes values.

export function parseJson(text: string): unknown {
  return JSON.parse(text);
}

/**
 * False when it cannot be JSON, which the first characters of most prints show. Asked before parsing, since a failed
 * parse costs an Error with its stack, a hundred times what a message costs, and programs print a lot.
 */
export function canBeJson(text: string): boolean {
  return START_OF_JSON.test(text);
}

/** An object, an array, a string, or nothing but one word or number. */
const START_OF_JSON =
  /^\uFEFF?\s*(?:\{\s*["}]|\[\s*(?:[[\]{"]|(?:true|false|null|NaN|-?Infinity|-?\d[\d.eE+-]*)\s*[,\]])|"|(?:true|false|null|NaN|-?Infinity|-?\d[\d.eE+-]*)\s*$)/;

/** Python writes NaN, Infinity and -Infinity as bare words; here they become null, as JSON.stringify has it. */
export function parseJsonWithNaN(text: string): unknown {
  const next = /"|-?\bInfinity\b|\bNaN\b/g;
  let replaced = '';
  let copied = 0;
  for (let match = next.exec(text); match !== null; match = next.exec(text)) {
    if (match[0] === '"') {
      // What is in a string is left alone. Its end is not looked for by the pattern: a long string would overflow the stack.
      next.lastIndex = endOfString(text, next.lastIndex);
    } else {
      replaced += `${text.slice(copied, match.index)}null`;
      copied = next.lastIndex;
    }
  }
  return JSON.parse(replaced + text.slice(copied));
}

/** Where the string that began before `from` is over; the end of the text when it is not. */
function endOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let escapes = quote;
    while (escapes > from && text[escapes - 1] === '\\') escapes -= 1;
    if ((quote - escapes) % 2 === 0) return quote + 1;
  }
  return text.length;
}
