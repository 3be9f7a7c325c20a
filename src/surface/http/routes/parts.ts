// What routes are made of.
import type { ConsoleLink, RuntimeApi } from '../../../runtime/api.ts';
import type { OpenCalls } from '../open-calls.ts';
import type { OpenStreams } from '../open-streams.ts';

export interface RouteParts {
  readonly api: RuntimeApi;
  readonly calls: OpenCalls;
  readonly streams: OpenStreams;
  readonly maxTalks: number;
  /** Of the page that this very server has. @default that of the api */
  readonly consoleLink?: (() => ConsoleLink) | undefined;
}
