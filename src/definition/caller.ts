// Who asks for a call. Rules, limits and the audit go by it.

export interface Caller {
  /** A person who types, a model, a job that makes many calls, or a program that is connected. */
  readonly kind: 'user' | 'model' | 'job' | 'client';
  /**
   * Which one of its kind, such as the name of an MCP client.
   * @default the kind
   */
  readonly name?: string;
}

/** As whom a call is counted, where the name of its caller is its own to choose. */
export interface Account {
  /** What its token opens; empty: all that the token of the host does. */
  readonly profile: string;
  /** The connection it came by, where there is one that lasts. */
  readonly session?: string;
}
