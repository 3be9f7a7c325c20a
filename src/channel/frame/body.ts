// A body on its way out, its payload apart: a long one is copied once, into the write, and not into a longer string first.

export type Body = {
  readonly head: string;
  readonly payload: string;
  readonly tail: string;
  /** Of all three, in bytes. */
  readonly size: number;
};

/** A text that is a body as it is. */
export function bodyOf(text: string): Body {
  return { head: '', payload: text, tail: '', size: Buffer.byteLength(text) };
}

export function textOf({ head, payload, tail }: Body): string {
  return head + payload + tail;
}
