// Text as others may read it: without the escapes of URLs (`%2F`), HTML (`&quot;`) or JSON (`\/`), with the position of each part, and folded.
// Messages with escapes have many, so an escape costs no object.

/** The characters that the escapes of URLs, HTML, both, or JSON begin with. */
export type Escapes = '%' | '&' | '%&' | '\\';

/** Removes one level of escapes; undefined if there is none. In linear time. @param places is filled for `placeIn` */
export function unescaped(text: string, escapes: Escapes = '%&', places?: number[]): string | undefined {
  const first = escapes.charAt(0);
  const second = escapes.charAt(1);
  let one = text.indexOf(first);
  let other = second === '' ? -1 : text.indexOf(second);
  let plain = '';
  let from = 0;
  while (one !== -1 || other !== -1) {
    const isFirst = other === -1 || (one !== -1 && one < other);
    const at = isFirst ? one : other;
    const escape = escapeAt(text, at);
    if (escape !== NONE) {
      plain += text.slice(from, at);
      const start = plain.length;
      plain += String.fromCodePoint(escape >> LENGTH_BITS);
      from = at + (escape & LENGTH_MASK);
      places?.push(start, plain.length, at, from);
    }
    const next = Math.max(at + 1, from);
    if (isFirst) one = text.indexOf(first, next);
    else other = text.indexOf(second, next);
  }
  return from === 0 ? undefined : plain + text.slice(from);
}

/** The position in the escaped text of a character, or of the end, of the unescaped one. */
export function placeIn(places: readonly number[], at: number): number {
  let [low, high] = [0, places.length / 4];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[4 * middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return at;
  const [start = 0, end = 0, before = 0, behind = 0] = places.slice(4 * low - 4, 4 * low);
  return at === start ? before : behind + Math.max(0, at - end);
}

// An escape as one number: its character and its length.
const NONE = 0;
const LENGTH_BITS = 5;
const LENGTH_MASK = (1 << LENGTH_BITS) - 1;

function escapeAt(text: string, at: number): number {
  const mark = text.charCodeAt(at);
  return mark === 37 ? inAddress(text, at) : mark === 38 ? inHtml(text, at) : inJson(text, at);
}

function inAddress(text: string, at: number): number {
  const first = byteAt(text, at);
  if (first < 0) return NONE;
  if (first < 0x80) return (first << LENGTH_BITS) | 3;
  // A character of UTF-8. Invalid bytes are kept, without the cost of an exception.
  const size = first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  let code = first & (0x7f >> size);
  for (let more = 1; more < size; more++) {
    const byte = byteAt(text, at + 3 * more);
    if (byte >> 6 !== 2) return NONE;
    code = (code << 6) | (byte & 0x3f);
  }
  return size === 0 || code > CODE_MAX ? NONE : (code << LENGTH_BITS) | (3 * size);
}

/** Below zero where there is no `%2F`. */
function byteAt(text: string, at: number): number {
  if (text.charCodeAt(at) !== 37) return -1;
  return (digit(text.charCodeAt(at + 1)) << 4) | digit(text.charCodeAt(at + 2));
}

/** Below zero for other characters. */
function digit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

function inHtml(text: string, at: number): number {
  if (text.charCodeAt(at + 1) === 35) return numbered(text, at);
  const most = Math.min(text.length, at + NAME_MAX);
  let end = at + 1;
  while (end < most && isLetter(text.charCodeAt(end))) end += 1;
  if (text.charCodeAt(end) !== 59) return NONE;
  const code = ENTITIES.get(text.slice(at + 1, end));
  return code === undefined ? NONE : (code << LENGTH_BITS) | (end + 1 - at);
}

/** Digits too, as in `frac12`. */
function isLetter(code: number): boolean {
  const small = code | 32;
  return (small >= 97 && small <= 122) || (code >= 48 && code <= 57);
}

/** `&#39;`, `&#x27;` */
function numbered(text: string, at: number): number {
  const base = (text.charCodeAt(at + 2) | 32) === 120 ? 16 : 10;
  const begin = at + (base === 16 ? 3 : 2);
  const most = Math.min(text.length, begin + DIGITS_MAX);
  let code = 0;
  let end = begin;
  for (; end < most; end++) {
    const value = digit(text.charCodeAt(end));
    if (value < 0 || value >= base) break;
    code = code * base + value;
  }
  const isOne = end > begin && text.charCodeAt(end) === 59 && code <= CODE_MAX;
  return isOne ? (code << LENGTH_BITS) | (end + 1 - at) : NONE;
}

/** `\/`, `\n`, `\u002f`. Half of a pair of surrogates stands for itself. */
function inJson(text: string, at: number): number {
  const sign = text.charCodeAt(at + 1);
  if (sign !== 117) {
    const code = JSON_SIGNS.get(sign);
    return code === undefined ? NONE : (code << LENGTH_BITS) | 2;
  }
  let code = 0;
  for (let place = at + 2; place < at + 6; place++) code = (code << 4) | digit(text.charCodeAt(place));
  return code < 0 ? NONE : (code << LENGTH_BITS) | 6;
}

const CODE_MAX = 0x10ffff;
const NAME_MAX = 8;
/** With some zeros before them. */
const DIGITS_MAX = 10;

/** By what stands behind the backslash. */
const JSON_SIGNS = new Map(
  ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'].map(
    (pair) => [pair.charCodeAt(0), pair.charCodeAt(1)] as const,
  ),
);

/** Those of ASCII, each before its sign, and those of Latin 1 from 160 on, in order. */
const ENTITIES = new Map<string, number>([
  ...'quot" amp& apos\' lt< gt> excl! num# dollar$ percnt% lpar( rpar) ast* plus+ comma, period. sol/ colon: semi; equals= quest? commat@ lsqb[ lbrack[ bsol\\ rsqb] rbrack] Hat^ lowbar_ grave` lcub{ lbrace{ verbar| vert| rcub} rbrace}'
    .split(' ')
    .map((pair) => [pair.slice(0, -1), pair.charCodeAt(pair.length - 1)] as const),
  ...'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
    .split(' ')
    .map((name, index) => [name, 160 + index] as const),
]);

/** Up to ten nested encodings. What is not UTF-8 is kept. */
export function decodedText(text: string): string {
  let decoded = text;
  for (let times = 0; times < 10 && decoded.includes('%'); times += 1) {
    const before = decoded;
    if (/%u/i.test(decoded))
      decoded = decoded.replaceAll(/%u([\da-f]{4})/gi, (_, code: string) =>
        String.fromCharCode(parseInt(code, 16)),
      );
    decoded = unescaped(decoded, '%') ?? decoded;
    if (decoded === before) break;
  }
  return decoded;
}

// Forms in which people, file systems and parsers take different texts for the same.

/** Without invisible characters and in lower case: file systems may take both for the same. */
export function folded(text: string): string {
  const whole = text.normalize('NFKC');
  const seen = withoutIgnorables(whole);
  // Separate parts may have become one character, and letters with marks may come apart in another case.
  return inOneCase((seen.length === whole.length ? seen : seen.normalize('NFKC')).trim()).normalize('NFKC');
}

/** Sigma has two lower-case forms; some capitals have several letters or none in lower case. */
export function inOneCase(text: string): string {
  // A capital may have a small form whose capital is several letters: ẞ, ß, SS.
  const small = text.toLowerCase().toUpperCase().toLowerCase();
  return /ς|\u0307/.test(small) ? small.replaceAll('ς', 'σ').replaceAll('i\u0307', 'i') : small;
}

/** No language has more than 30 marks on one letter (UAX 15, Stream-Safe Text). Some characters become marks in other forms. */
export function hasManyMarks(text: string): boolean {
  return /(?<![\p{M}\u0E33\u0EB3\uFF9E\uFF9F])[\p{M}\u0E33\u0EB3\uFF9E\uFF9F]{31}/u.test(text);
}

export function withoutIgnorables(text: string): string {
  return text.replaceAll(/[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu, '');
}

/** Without invisible characters, as parsers of URLs and paths may read it. */
export function withoutControls(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu, '');
}
