// What a command printed to one of its streams: its beginning and its end, in bounded memory, as text.
import { StringDecoder } from 'node:string_decoder';

export interface KeptOutput {
  /** Takes a piece and gives it back as text; a character that is cut in two comes with the next piece. */
  push(chunk: Buffer): string;
  /** Nothing more comes: gives what is left of a character that was cut off. */
  end(): string;
  /** What is kept. Where something was left out, a line says so. */
  text(): string;
  /** What is missing in `text`, in a sentence without its subject; undefined when nothing is. */
  readonly shortage: string | undefined;
}

export function keptOutput(maxChars: number): KeptOutput {
  const decoder = new StringDecoder('utf8');
  const headLimit = Math.ceil(maxChars / 2);
  const tailLimit = maxChars - headLimit;
  let head = '';
  let tail = '';
  /** Of all that came. */
  let chars = 0;
  let bytes = 0;
  let unreadable = 0;

  const take = (text: string): string => {
    chars += text.length;
    unreadable += countUnreadable(text);
    // Once something stands in the tail, the head is closed: nothing may overtake.
    const forHead = tail === '' ? wholeStart(text, headLimit - head.length) : '';
    head += forHead;
    tail += text.slice(forHead.length);
    // Cutting at twice the limit copies each character a constant number of times, however small the pieces.
    if (tail.length > 2 * tailLimit + 1) tail = tail.slice(tail.length - tailLimit - 1);
    return text;
  };
  const shownTail = () => (chars <= maxChars ? tail : wholeEnd(tail, tailLimit));

  return {
    push(chunk) {
      bytes += chunk.length;
      return take(decoder.write(chunk));
    },
    end: () => take(decoder.end()),
    text() {
      if (isBinary(unreadable, chars)) return `[${bytes} bytes that are no text]`;
      const end = shownTail();
      const omitted = chars - head.length - end.length;
      return omitted === 0 ? head + end : `${head}\n[… ${omitted} characters left out …]\n${end}`;
    },
    get shortage() {
      if (isBinary(unreadable, chars))
        return `had ${bytes} bytes that are no text. Write them to a file instead, or look at them with a tool such as file or xxd.`;
      const end = shownTail();
      if (head.length + end.length === chars) return undefined;
      return `had ${chars} characters; the first ${head.length} and the last ${end.length} are given. Narrow the command, for example with grep, head or tail, or write its output to a file.`;
    },
  };
}

/** Whether a text that was bytes is one: what is no UTF-8 was replaced. A few such places are text in an old encoding. */
export function isBinaryText(text: string): boolean {
  return isBinary(countUnreadable(text), text.length);
}

function isBinary(unreadable: number, chars: number): boolean {
  return unreadable > 8 && unreadable * 10 > chars;
}

const REPLACEMENT = '\uFFFD';

function countUnreadable(text: string): number {
  let count = 0;
  for (let at = text.indexOf(REPLACEMENT); at !== -1; at = text.indexOf(REPLACEMENT, at + 1)) count += 1;
  return count;
}

/** So much of the beginning that no character outside of the basic plane is cut in two. */
function wholeStart(text: string, length: number): string {
  if (text.length <= length) return text;
  return text.slice(0, length > 0 && isHighSurrogate(text, length - 1) ? length - 1 : length);
}

function wholeEnd(text: string, length: number): string {
  const start = Math.max(0, text.length - length);
  return text.slice(start > 0 && isHighSurrogate(text, start - 1) ? start + 1 : start);
}

function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
}
