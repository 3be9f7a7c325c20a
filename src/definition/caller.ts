// Who asks for a call. Rules, approvals, limits and the audit go by it.

export interface Caller {
  /**
   * `user`: a person, at a terminal of ours, over the Unix socket or in the console. `program`: code that embeds this host.
   * `client`: whoever came with a bearer token or over MCP.
   */
  readonly kind: 'user' | 'program' | 'model' | 'job' | 'client';
  /**
   * Which one of its kind, such as the name that an MCP client gives itself. It is the caller's own word.
   * @default the kind
   */
  readonly name?: string;
  /**
   * The name of the bearer token that it came with, never its secret: a field of a name that sounds like one would be masked in the audit.
   * The fields from here on are set by the host alone.
   */
  readonly access?: string;
  /** The profile that it sees. */
  readonly profile?: string;
  /** It named the profile itself, by the address: its token opens others too, so limits count by the token. */
  readonly isProfileChosen?: boolean;
  /** The connection that it came by, where that lasts. */
  readonly connection?: string;
}

export const callerKinds: readonly Caller['kind'][] = ['user', 'program', 'model', 'job', 'client'];

/** The owner of this host, in person or by code of their own: only what the rules forbid is refused, and nothing is asked. */
export function isOwner({ kind }: Pick<Caller, 'kind'>): boolean {
  return kind === 'user' || kind === 'program';
}
