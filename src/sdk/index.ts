// pluglot/sdk: the author's side. It loads Node's own modules and nothing else.
export { PluglotError, type ErrorCode } from '../base/error.ts';
export type { Json, JsonObject } from '../base/json.ts';
export { RpcError, standardErrors } from '../channel/message/rpc-error.ts';
export type { CallContext } from '../channel/peer/call-context.ts';
export type { Peer } from '../channel/peer/peer.ts';
export type { CommandOptions, PluginOptions, ToolOptions } from '../definition/authoring.ts';
export type { TaskHost } from '../definition/plugin-port.ts';
export { failures } from '../definition/failure.ts';
export { executor, extractor, planner, type ExtractorOptions } from '../definition/definition.ts';
export { command, definePlugin, tool } from '../definition/define-plugin.ts';
export type {
  AnyConfig,
  Definition,
  Describe,
  ExecutorDefinition,
  ExtractorDefinition,
  ExtractRequest,
  Handler,
  HandlerContext,
  PlannerDefinition,
  SetupContext,
} from '../definition/definition.ts';
export type { ExtractSource, FileType, Support } from '../definition/plan.ts';
export { fail, Failure, type FailureOptions } from '../definition/failure.ts';
export type { CallDescription } from '../definition/outcome.ts';
export type { Health } from '../definition/manifest.ts';
export type {
  CodeRequest,
  CodeVerdict,
  ContextUpdate,
  Finding,
  Plan,
  PlanRequest,
  PlanTask,
  TaskRequest,
  TaskResult,
} from '../definition/plan.ts';
export { result, type Result, type ResultContent } from '../definition/outcome.ts';
export type { Schema } from '../definition/schema/checked-schema.ts';
export type { FromSchema } from '../definition/schema/from-schema.ts';
export type { StandardSchema } from '../definition/schema/checked-schema.ts';
export type { LogLevel, ToolHints } from '../definition/tool.ts';
export { openStdio, serve, type ServeOptions, type StdioOptions } from './serve.ts';
