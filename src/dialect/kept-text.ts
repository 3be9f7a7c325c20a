// What a plugin streamed, kept for the outcome up to a limit: one that streams without end must not fill the memory.

export class KeptText {
  readonly #limit: number;
  readonly #warn: (message: string) => void;
  #text = '';
  #isCut = false;

  /** @param limit in characters */
  constructor(limit: number, warn: (message: string) => void) {
    this.#limit = limit;
    this.#warn = warn;
  }

  get text(): string {
    return this.#text;
  }

  add(text: string): void {
    if (this.#isCut) return;
    const room = this.#limit - this.#text.length;
    this.#isCut = text.length > room;
    this.#text += this.#isCut ? text.slice(0, room) : text;
    if (this.#isCut)
      this.#warn(`More than ${this.#limit} characters were streamed; the outcome has the first of them.`);
  }
}
