// The one place where wire text becomes values.

export function parseJson(text: string): unknown {
  return JSON.parse(text);
}

/** Python writes NaN, Infinity and -Infinity as bare words; here they become null, as JSON.stringify has it. */
export function parseJsonWithNaN(text: string): unknown {
  return JSON.parse(text.replace(STRING_OR_NAN, (token) => (token.startsWith('"') ? token : 'null')));
}

/** Strings are matched first, so that a NaN inside one is left alone; an unclosed one matches to the end and fails to parse. */
const STRING_OR_NAN = /"(?:[^"\\]|\\.)*"?|-?\bInfinity\b|\bNaN\b/gs;
