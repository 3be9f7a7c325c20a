// What a host end needs where a server wants to know who asks: a safe for what is secret, and a person who can be asked.

export interface Access {
  readonly safe: Safe;
  /** How a person is sent to an address on behalf of a plugin; undefined where nobody is there. */
  person(plugin: string): SendPerson | undefined;
  /**
   * Work that several want at the same time is done once, and all get what comes of it. Who leaves, by its signal, waits no longer;
   * when all have left, the work is given up.
   */
  once<Value>(
    key: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value>;
}

/** The signal fires when no answer is awaited any more. */
export type SendPerson = (url: string, signal: AbortSignal) => void | Promise<void>;

/** Texts that are for the user's eyes alone, kept between runs. */
export interface Safe {
  read(key: string): Promise<string | undefined>;
  /** Writes what `work` gives, while nobody else in any process changes it; undefined leaves it as it is. It has 10 s. */
  change(key: string, work: (text: string | undefined) => Promise<string | undefined>): Promise<void>;
  /** Nothing when it is not there. */
  remove(key: string): Promise<void>;
}
