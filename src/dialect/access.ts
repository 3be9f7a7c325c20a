// What a host end needs for servers that require authorisation: a store for secrets, and a way to send the user to a page.

export interface Access {
  readonly safe: Safe;
  /** How the user is sent to a URL on behalf of a plugin; undefined where no user is present. */
  person(plugin: string): SendPerson | undefined;
  /**
   * Runs work that several callers want at the same time once, and gives all of them its result. A caller leaves by its signal; when
   * all have left, the work is aborted.
   */
  once<Value>(
    key: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value>;
}

/** The signal fires when the answer is no longer awaited. */
type SendPerson = (url: string, signal: AbortSignal) => void | Promise<void>;

/** Secrets, kept between runs and readable by the user alone. */
export interface Safe {
  read(key: string): Promise<string | undefined>;
  /** Writes the result of `work` under a lock across processes, within 10 s; undefined leaves the secret unchanged. */
  change(key: string, work: (text: string | undefined) => Promise<string | undefined>): Promise<void>;
  /** Does nothing when it does not exist. */
  remove(key: string): Promise<void>;
}
