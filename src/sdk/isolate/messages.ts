// What the main thread and the one for isolated tools say to each other. A thread has one call at a time.
import type { JsonObject } from '../../base/json.ts';
import type { Answer, CallEvent, CallRequest } from '../../definition/outcome.ts';
import type { LogEntry } from '../../definition/tool.ts';

export type ToThread =
  | { readonly kind: 'call'; readonly request: CallRequest; readonly config: JsonObject }
  | { readonly kind: 'cancel'; readonly reason: string }
  /** What was asked with `drain` has come true. */
  | { readonly kind: 'drained' }
  | { readonly kind: 'close' };

export type FromThread =
  | { readonly kind: 'event'; readonly event: CallEvent }
  | { readonly kind: 'drain' }
  | { readonly kind: 'end'; readonly answer: Answer }
  | { readonly kind: 'log'; readonly entry: LogEntry };
