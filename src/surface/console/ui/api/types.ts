// The types of the host API that this page uses, and the requests that the API's table of endpoints allows.
import type { Outcome } from '../../../../definition/outcome.ts';
import type { endpoints } from '../../../../runtime/api.ts';
import type { EndpointId, ResultOf } from '../../../../runtime/endpoint.ts';

export type { Problem } from '../../../../fleet/discovery/problem.ts';
export type { LogRecord } from '../../../../fleet/plugin/logs/log-book.ts';
export type { TalkEnding } from '../../../../fleet/plugin/talk.ts';
export type { TrafficEntry } from '../../../../fleet/recording/traffic.ts';
export type { Approval, Question } from '../../../../gate/approval/approver.ts';
export type { AuditRecord } from '../../../../gate/audit/read-audit.ts';
export type {
  AuditPage,
  PluginDetails,
  PluginView,
  RecordingView,
  ToolView,
} from '../../../../runtime/api.ts';

export type CallOutcome = Outcome & { readonly id?: string };

type Method = 'GET' | 'POST' | 'DELETE';
type Table = typeof endpoints;

type IdsOf<Verb extends Method> = {
  [Id in EndpointId]: Table[Id]['method'] extends Verb ? Id : never;
}[EndpointId];

/** `/plugins/{name}` as `/plugins/${string}`. */
type Filled<Path extends string> = Path extends `${infer Head}{${string}}${infer Tail}`
  ? `${Head}${string}${Filled<Tail>}`
  : Path;

type Requested<Id extends EndpointId> = Id extends EndpointId
  ? Table[Id]['path'] extends `/api/v1${infer Path}`
    ? Filled<Path> | `${Filled<Path>}?${string}`
    : never
  : never;

/** The paths that the host answers for a method, after `/api/v1`. */
export type ApiPath<Verb extends Method> = Requested<IdsOf<Verb>>;

/** The result of a request, from the table. */
export type ApiResult<Verb extends Method, Path extends string> = {
  [Id in IdsOf<Verb>]: Path extends Requested<Id> ? ResultOf<Id> : never;
}[IdsOf<Verb>];
