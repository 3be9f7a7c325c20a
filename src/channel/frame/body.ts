// A body on its way out, its payload apart: a long one is copied once, into the write, and not into a longer string first.

/** Head and tail are ASCII. */
export type Body = {
  readonly head: string;
  readonly payload: string;
  readonly tail: string;
};

/** A text that is a body as it is. */
export function bodyOf(text: string): Body {
  return { head: '', payload: text, tail: '' };
}

export function textOf({ head, payload, tail }: Body): string {
  return head + payload + tail;
}

/** In characters. */
export function lengthOf({ head, payload, tail }: Body): number {
  return head.length + payload.length + tail.length;
}

/** In bytes. */
export function sizeOf({ head, payload, tail }: Body): number {
  return head.length + Buffer.byteLength(payload) + tail.length;
}
