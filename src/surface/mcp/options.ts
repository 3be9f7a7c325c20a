// What an endpoint is made of, and what holds for its clients.
import type { Clock } from '../../base/clock.ts';
import type { LogEntry } from '../../definition/tool.ts';
import type { RuntimeParts } from '../../runtime/runtime-parts.ts';
import type { Tokens } from '../../runtime/tokens/tokens.ts';
import { usualRequestLimits, type RequestLimits } from '../http/limits.ts';

export interface EndpointOptions {
  readonly runtime: Pick<RuntimeParts, 'registry' | 'gate'>;
  /** What clients have to show over HTTP. @default nothing: for tests, or behind something that asks itself */
  readonly tokens?: Tokens;
  /** Which clients see what, by name: the key `profiles` of pluglot.json. */
  readonly profiles?: EndpointProfiles;
  readonly limits?: Partial<EndpointLimits>;
  /** What goes wrong beside the requests. @default not logged */
  readonly log?: (entry: LogEntry) => void;
  /** @default the real one */
  readonly clock?: Clock;
}

export type EndpointProfiles = Readonly<Record<string, EndpointProfile>>;

export interface EndpointProfile {
  /** Patterns (`*`, `?`) for the names of tools as they are exposed. @default all */
  readonly tools?: readonly string[];
  /** Whose tools, commands, resources and prompts are seen. @default all; with `tools` alone, tools alone */
  readonly plugins?: readonly string[];
  /** Opens it alone, and no other token without a profile does. @default any token without a profile opens it */
  readonly token?: string;
  /** Only tools that say they change nothing, and no commands. @default false */
  readonly readOnly?: boolean;
  /** Whether tools are searched for instead of listed; a number: above so many. @default limits.searchAbove */
  readonly search?: boolean | number;
  /** Whether the client may show its user a form that allows a call. @default true */
  readonly approvals?: boolean;
}

export interface EndpointLimits extends RequestLimits {
  /** How long a body may take to come. @default 30000 */
  readonly bodyMs: number;
  /** How long a client may leave unread what it is sent. @default 30000 */
  readonly slowMs: number;
  /** Sessions at once, over HTTP. @default 1000 */
  readonly sessions: number;
  /** A session without requests or an open stream is closed after that. @default 1800000 */
  readonly sessionIdleMs: number;
  /** Calls of one session at once, in whatever stage, also such as wait for an answer; more are refused. @default 250 */
  readonly sessionCalls: number;
  /** The same of all clients whose tokens are bound to one profile, or that have one token. @default 750 */
  readonly profileCalls: number;
  /** How long the user of a client may think about a question. @default 300000 */
  readonly answerMs: number;
  /** With more tools than that, clients search for them. @default 100 */
  readonly searchAbove: number;
  /** For what is under way when the endpoint closes; as long as the HTTP API gives. @default 3000 */
  readonly closeMs: number;
}

export const usualLimits: EndpointLimits = {
  ...usualRequestLimits,
  bodyMs: 30_000,
  slowMs: 30_000,
  sessions: 1000,
  sessionIdleMs: 30 * 60_000,
  sessionCalls: 250,
  profileCalls: 750,
  answerMs: 5 * 60_000,
  searchAbove: 100,
  closeMs: 3000,
};

/** The error of calls that were not over in time. */
export const CLOSING = 'The host is shutting down.';
