// What the host's HTTP API answers with, for this page.
import type { Outcome } from '../../../../definition/outcome.ts';

export type { Problem } from '../../../../fleet/discovery/problem.ts';
export type { LogRecord } from '../../../../fleet/plugin/logs/log-book.ts';
export type { TalkEnding } from '../../../../fleet/plugin/talk.ts';
export type { TrafficEntry } from '../../../../fleet/recording/traffic.ts';
export type { Approval, Question } from '../../../../gate/approval/approver.ts';
export type { AuditRecord } from '../../../../gate/audit/read-audit.ts';
export type {
  AuditPage,
  PluginDetails,
  PluginList,
  PluginView,
  RecordingView,
  ToolView,
} from '../../../../runtime/api.ts';

export type CallOutcome = Outcome & { readonly id?: string };
