// What stands inside of a paragraph of Markdown. Each mark is looked for once from where it is, and never again when there is none.

export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong'; readonly inlines: readonly Inline[] }
  | { readonly kind: 'emphasis'; readonly inlines: readonly Inline[] }
  | { readonly kind: 'struck'; readonly inlines: readonly Inline[] }
  | { readonly kind: 'link'; readonly address: string; readonly inlines: readonly Inline[] }
  | { readonly kind: 'break' };

const DEPTH_MAX = 6;
const ADDRESS_MAX = 2000;

export function inlinesOf(text: string, depth = 0): Inline[] {
  const inlines: Inline[] = [];
  // A mark that has no end from here on has none further on either.
  const endless = new Set<string>();
  let plain = '';
  let at = 0;
  while (at < text.length) {
    const found = depth < DEPTH_MAX ? inlineAt(text, at, depth, endless) : undefined;
    if (found === undefined) {
      plain += text[at];
      at += 1;
      continue;
    }
    if (plain !== '') inlines.push({ kind: 'text', text: plain });
    plain = '';
    inlines.push(found.inline);
    at = found.end;
  }
  if (plain !== '') inlines.push({ kind: 'text', text: plain });
  return inlines;
}

interface Found {
  readonly inline: Inline;
  readonly end: number;
}

function inlineAt(text: string, at: number, depth: number, endless: Set<string>): Found | undefined {
  const character = text[at] ?? '';
  switch (character) {
    case '\\': {
      const next = text[at + 1] ?? '';
      return /[\\`*_~[\]()#+\-.!|<>{}]/.test(next)
        ? { inline: { kind: 'text', text: next }, end: at + 2 }
        : undefined;
    }
    case '\n':
      return { inline: { kind: 'break' }, end: at + 1 };
    case '`':
      return codeAt(text, at, endless);
    case '*':
    case '_':
    case '~':
      return emphasisAt(text, at, character, depth, endless);
    case '!':
      return text[at + 1] === '[' ? linkAt(text, at + 1, depth, endless) : undefined;
    case '[':
      return linkAt(text, at, depth, endless);
    case 'h':
    case '<':
      return addressAt(text, at);
    default:
      return undefined;
  }
}

function codeAt(text: string, at: number, endless: Set<string>): Found | undefined {
  let length = 1;
  while (length < 8 && text[at + length] === '`') length += 1;
  const mark = '`'.repeat(length);
  const end = endOf(text, mark, at + length, endless);
  if (end === undefined) return undefined;
  return { inline: { kind: 'code', text: text.slice(at + length, end).trim() }, end: end + length };
}

function emphasisAt(
  text: string,
  at: number,
  character: string,
  depth: number,
  endless: Set<string>,
): Found | undefined {
  const isDouble = text[at + 1] === character;
  if (character === '~' && !isDouble) return undefined;
  const mark = isDouble ? character.repeat(2) : character;
  const start = at + mark.length;
  // snake_case is no emphasis, and neither is a star between spaces.
  if (isBlank(text[start]) || (character === '_' && isWord(text[at - 1]))) return undefined;
  const end = endOf(text, mark, start + 1, endless);
  if (end === undefined || isBlank(text[end - 1]) || (character === '_' && isWord(text[end + mark.length])))
    return undefined;
  const kind = character === '~' ? 'struck' : isDouble ? 'strong' : 'emphasis';
  return { inline: { kind, inlines: inlinesOf(text.slice(start, end), depth + 1) }, end: end + mark.length };
}

/** An image is its words: nothing is loaded. */
function linkAt(text: string, at: number, depth: number, endless: Set<string>): Found | undefined {
  const close = endOf(text, '](', at + 1, endless);
  if (close === undefined || close - at > 2000) return undefined;
  const end = endOfAddress(text, close + 2, endless);
  if (end === undefined) return undefined;
  const words = inlinesOf(text.slice(at + 1, close), depth + 1);
  const address = safeAddress(
    (
      text
        .slice(close + 2, end)
        .trim()
        .split(/\s/)[0] ?? ''
    ).replace(/^<|>$/g, ''),
  );
  if (address === undefined) return { inline: { kind: 'emphasis', inlines: words }, end: end + 1 };
  return { inline: { kind: 'link', address, inlines: words }, end: end + 1 };
}

/** The bracket that closes it; addresses may have pairs of their own. */
function endOfAddress(text: string, from: number, endless: Set<string>): number | undefined {
  if (endOf(text, ')', from, endless) === undefined) return undefined;
  let depth = 0;
  for (let at = from; at < Math.min(text.length, from + ADDRESS_MAX); at++) {
    if (text[at] === '(') depth += 1;
    else if (text[at] === ')' && depth-- === 0) return at;
  }
  return undefined;
}

function addressAt(text: string, at: number): Found | undefined {
  if (text[at] === 'h' && (!text.startsWith('http', at) || isWord(text[at - 1]))) return undefined;
  const part = text.slice(at, at + 2000);
  const match =
    /^<(https?:\/\/[^\s<>]+)>/.exec(part) ?? /^(https?:\/\/[^\s<>"'`*]*[^\s<>"'`*.,;:!?)\]])/.exec(part);
  const address = safeAddress(match?.[1] ?? '');
  if (match === null || address === undefined) return undefined;
  return {
    inline: { kind: 'link', address, inlines: [{ kind: 'text', text: match[1] ?? '' }] },
    end: at + match[0].length,
  };
}

/** Only where a click can do nothing but open a page or a letter. */
export function safeAddress(address: string): string | undefined {
  return /^(https?:\/\/|mailto:)[^\s]+$/i.test(address) ? address : undefined;
}

function endOf(text: string, mark: string, from: number, endless: Set<string>): number | undefined {
  if (endless.has(mark)) return undefined;
  const end = text.indexOf(mark, from);
  if (end >= 0) return end;
  endless.add(mark);
  return undefined;
}

function isBlank(character: string | undefined): boolean {
  return character === undefined || /\s/.test(character);
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /\w/.test(character);
}
