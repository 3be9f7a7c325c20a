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
