// pluglot: what a host needs. The channel itself is pluglot/channel, the author's side pluglot/sdk.
export { errorCodes, PluglotError, type ErrorCode } from './base/error.ts';
export type { Json, JsonObject } from './base/json.ts';
export { createSecrets, type Secrets, type TextPart } from './base/secrets.ts';
export type { Trace } from './base/trace.ts';
export type { CommandProfile, Profile, RunningCall } from './definition/backend.ts';
export type { Caller } from './definition/caller.ts';
export type { Definition } from './definition/definition.ts';
export type { Health, Manifest } from './definition/manifest.ts';
export type {
  Answer,
  AnswerContent,
  CallDescription,
  CallEvent,
  CallFailure,
  CallRequest,
  CallSink,
  CallerContext,
  Outcome,
} from './definition/outcome.ts';
export {
  dialectNames,
  type DialectName,
  type OAuthSettings,
  type PluginLimits,
  type PluginSpec,
  type ProgramSpec,
  type RemoteSpec,
  type RestartSpec,
} from './definition/plugin-spec.ts';
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
} from './definition/plan.ts';
export type { JsonSchema, LogEntry, LogLevel, Tool, ToolHints } from './definition/tool.ts';
export { hostDialects } from './dialect/hosts.ts';
export type {
  DialectTraits,
  ExecutorFacet,
  ExecutorQuestion,
  ExtractorFacet,
  HostDialect,
  HostEnd,
  HostServices,
  PlannerFacet,
  PromptsFacet,
  ResourcesFacet,
  TalkFacet,
  WireCall,
} from './dialect/host-dialect.ts';
export type { Access, Safe, SendPerson } from './dialect/access.ts';
export type { ExtractSource, FileType, Support } from './definition/extraction.ts';
export { fleetAccess, type FleetAccess, type FleetAccessOptions } from './fleet/access/fleet-access.ts';
export {
  discover,
  type Discovery,
  type DiscoverOptions,
  type Found,
  type FoundBuiltIn,
  type FoundModule,
} from './fleet/discovery/discover.ts';
export type { ModuleSpec, Origin } from './fleet/discovery/candidate.ts';
export { describeProblem, type Problem } from './fleet/discovery/problem.ts';
export { createFleet, type Fleet, type FleetEvent, type FleetOptions } from './fleet/fleet.ts';
export type { Abilities, Introduction, Introductions } from './fleet/introductions/introductions.ts';
export { keptIntroductions } from './fleet/introductions/kept-introductions.ts';
export type { Call, CallOptions } from './fleet/plugin/call.ts';
export type { HostWork, WorkOrigin } from './fleet/plugin/asked-work.ts';
export type { TaskQuestion } from './fleet/plugin/task-batch.ts';
export type { LogBook, LogRecord } from './fleet/plugin/logs/log-book.ts';
export type { Plugin } from './fleet/plugin/plugin.ts';
export type { PluginEvent, PluginState, PluginStatus } from './fleet/plugin/status.ts';
export type { Detect, Dialects } from './fleet/plugin/surroundings.ts';
export type { Talk, TalkEnding } from './fleet/plugin/talk.ts';
export type { InProcessLimits } from './fleet/registry/in-process-host.ts';
export type { LoadModule } from './fleet/registry/load-module.ts';
export type { TrafficEntry, TrafficLimits } from './fleet/recording/traffic.ts';
export {
  createRegistry,
  type DiscoverChoice,
  type Executor,
  type ExposureFailure,
  type RegisteredPlugin,
  type RegisteredSettings,
  type Registry,
  type RegistryChange,
  type RegistryOptions,
} from './fleet/registry/registry.ts';
export type {
  CallGate,
  CallSource,
  GatedCallOptions,
  PluginOrigin,
  ResolvedCommand,
  ResolvedTool,
} from './fleet/registry/resolved.ts';
export type {
  FunctionDeclaration,
  ToolExecutor,
  ToolPlugin,
  UserCommand,
} from './fleet/registry/tool-plugin.ts';
export type { Launcher } from './fleet/supervisor/launcher.ts';
export { createLauncher, type LauncherOptions } from './fleet/supervisor/process-launcher.ts';
export type { ContainmentMode } from './fleet/supervisor/containment.ts';
export {
  spawn,
  type Exit,
  type Program,
  type Running,
  type SpawnOptions,
  type StopLimits,
} from './fleet/supervisor/spawn.ts';
export { trustingLauncher } from './fleet/trust/trusting-launcher.ts';
export type { Trust, TrustStore } from './fleet/trust/trust-store.ts';
export type { Approval, Approver, Question } from './gate/approval/approver.ts';
export { fileApprover, type FileExchangeOptions } from './gate/approval/file-exchange.ts';
export { firstOf } from './gate/approval/first-of.ts';
export { createApprovalQueue, type ApprovalQueue, type ApprovalQueueOptions } from './gate/approval/queue.ts';
export { serialised, type SerialisedOptions } from './gate/approval/serialised.ts';
export type { Colours } from './gate/approval/shown-question.ts';
export {
  terminalApprover,
  type TerminalApproverOptions,
  type TerminalPort,
} from './gate/approval/terminal.ts';
export { webhookApprover, type WebhookOptions } from './gate/approval/webhook.ts';
export type { Audit, AuditEvent } from './gate/audit/audit.ts';
export { openAudit, type AuditOptions } from './gate/audit/open-audit.ts';
export type { HeadTarget } from './gate/audit/head-sender.ts';
export { readAudit, type AuditFilter, type AuditRecord } from './gate/audit/read-audit.ts';
export {
  verifyAudit,
  type AuditProblem,
  type AuditVerdict,
  type VerifyOptions,
} from './gate/audit/verify-audit.ts';
export { createGate, type Gate, type GateParts, type GateReconfiguration } from './gate/gate.ts';
export type { BudgetTable, GateLimits, LimitTable, WaitingLimits } from './gate/limits/limit-options.ts';
export type { CallObserver, CallWatch, ObservedCall } from './gate/observer.ts';
export type { OutputLimits, OutputOptions } from './gate/output/output-limits.ts';
export type { SpillPart, SpillReading } from './gate/output/spill-store.ts';
export { pinFile, pinsInMemory, type Pin, type PinKeeper } from './gate/pins/pin-file.ts';
export { createPolicy, type PolicyParts, type PolicySession } from './gate/policy/create-policy.ts';
export type { Permissions, PermissionSource } from './gate/policy/file/permissions.ts';
export type { PermissionsFile } from './gate/policy/file/permissions-file.ts';
export { readPermissions, type ReadPermissionsOptions } from './gate/policy/file/read-permissions.ts';
export type {
  DefaultPolicy,
  Method,
  Policy,
  PolicyView,
  Scope,
  SessionRules,
  Subject,
  Verdict,
} from './gate/policy/policy.ts';
export { signatureOf } from './gate/policy/signature.ts';
export type {
  AnthropicTool,
  GeminiFunction,
  OpenAiFunction,
  OpenAiTool,
  ProviderOptions,
  ProviderTool,
} from './model/schemas/declare.ts';
export type { Provider } from './model/schemas/providers.ts';
export type { Effect, Quarantined, Repair } from './model/schemas/repair.ts';
export { toolsFor, type ToolsFor } from './model/schemas/tools-for.ts';
export type { Person } from './plugins/host-ports.ts';
export type {
  ApiAuditFilter,
  ApiCallOptions,
  AskOptions,
  AuditPage,
  CommandView,
  ConsoleLink,
  HealthView,
  LogsOptions,
  OfferOptions,
  PluginDetails,
  PluginList,
  PluginsOptions,
  PluginStats,
  PluginView,
  RecordingView,
  RuntimeApi,
  RuntimeEvent,
  SandboxView,
  ToolView,
  TrafficFilter,
  TrafficPage,
} from './runtime/api.ts';
export { connectRuntime, type ConnectOptions } from './runtime/connect/connect-runtime.ts';
export type { RetryOptions } from './runtime/connect/remote-events.ts';
export { createRuntime, type Runtime, type RuntimeOptions } from './runtime/create-runtime.ts';
export type { PluginLogged, RuntimeParts } from './runtime/runtime-parts.ts';
export type { CallStats, PluginCounts, ToolCounts } from './runtime/views/call-stats.ts';
export type { LocalRuntimeApi } from './runtime/views/runtime-api.ts';
export type { ConsoleFile, ConsoleFiles } from './surface/http/console-routes.ts';
export type { HttpLimits } from './surface/http/limits.ts';
export {
  createHttpServer,
  type HttpServer,
  type HttpServerOptions,
  type NodeHandler,
} from './surface/http/server.ts';
export {
  createTokens,
  type KnownSecret,
  type NewToken,
  type TokenRequest,
  type Tokens,
  type TokensOptions,
  type TokenView,
} from './runtime/tokens/tokens.ts';
export { tokenPurposes, type TokenPurpose } from './runtime/tokens/token-purposes.ts';
export type { FleetPartsOptions } from './runtime/fleet-parts.ts';
