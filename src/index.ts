// pluglot: what a program needs that embeds a host or connects to one. docs/library.md describes each name; the rest is internal.
export { PluglotError, type ErrorCode } from './base/error.ts';
export type { Json, JsonObject } from './base/json.ts';
export { createSecrets, type Secrets } from './secrets/secrets.ts';
export type { Trace } from './base/trace.ts';
export type { Caller } from './definition/caller.ts';
export type { Definition } from './definition/definition.ts';
export type { CommandManifest, Health, Manifest } from './definition/manifest.ts';
export type { CallEvent, CallFailure, CallerContext, Outcome } from './definition/outcome.ts';
export type {
  DialectName,
  OAuthSettings,
  PluginLimits,
  PluginSpec,
  ProgramSpec,
  RemoteSpec,
  RestartSpec,
} from './definition/plugin-spec.ts';
export type { JsonSchema, LogEntry, LogLevel, Tool, ToolHints } from './definition/tool.ts';
export { fleetAccess, type FleetAccess, type FleetAccessOptions } from './fleet/access/fleet-access.ts';
export { discover, type Discovery, type DiscoverOptions, type Found } from './fleet/discovery/discover.ts';
export { describeProblem, type Problem } from './fleet/discovery/problem.ts';
export { createFleet, type Fleet, type FleetEvent, type FleetOptions } from './fleet/fleet.ts';
export {
  fileManifestCache,
  type CachedManifest,
  type ManifestCache,
} from './fleet/manifest-cache/manifest-cache.ts';
export type { Call } from './definition/call.ts';
export type { CallOptions } from './channel/peer/options.ts';
export type { LogBook, LogRecord } from './fleet/plugin/logs/log-book.ts';
export type { Plugin } from './fleet/plugin/plugin.ts';
export type { PluginEvent, PluginState, PluginStatus } from './fleet/plugin/instances.ts';
export type { Talk, TalkEnding } from './fleet/plugin/talk.ts';
export type { TrafficEntry, TrafficLimits } from './fleet/recording/traffic.ts';
export {
  createRegistry,
  type Executor,
  type RegisteredPlugin,
  type Registry,
  type RegistryChange,
  type RegistryOptions,
} from './fleet/registry/registry.ts';
export type { GatedCallOptions, ResolvedCommand, ResolvedTool } from './fleet/registry/contract.ts';
export type {
  FunctionDeclaration,
  ToolExecutor,
  ToolPlugin,
  UserCommand,
} from './fleet/registry/tool-plugin.ts';
export type { Launcher } from './fleet/supervisor/launcher.ts';
export { createLauncher, type LauncherOptions } from './fleet/supervisor/process-launcher.ts';
export type { Trust, TrustStore } from './fleet/trust/trust-store.ts';
export type { Approval, Approver, Question } from './gate/approval/approver.ts';
export {
  fileApprover,
  terminalApprover,
  webhookApprover,
  type FileExchangeOptions,
  type TerminalApproverOptions,
  type WebhookOptions,
} from './gate/approval/approvers.ts';
export { firstOf } from './gate/approval/first-of.ts';
export { createApprovalQueue, type ApprovalQueue, type ApprovalQueueOptions } from './gate/approval/queue.ts';
export { serialised, type SerialisedOptions } from './gate/approval/serialised.ts';
export type { Audit, AuditEvent } from './gate/audit/audit.ts';
export { openAudit, type AuditOptions } from './gate/audit/open-audit.ts';
export { readAudit, type AuditFilter, type AuditRecord } from './gate/audit/read-audit.ts';
export {
  verifyAudit,
  type AuditProblem,
  type AuditVerdict,
  type VerifyOptions,
} from './gate/audit/verify-audit.ts';
export { createGate, type Gate, type GateParts } from './gate/gate.ts';
export type { GateLimits } from './gate/limits/limit-options.ts';
export type { CallObserver } from './gate/observer.ts';
export type { OutputLimits, OutputOptions } from './gate/output/bounded-answer.ts';
export { pinFile, pinsInMemory, type Pin, type PinKeeper } from './gate/pins/pin-file.ts';
export { createPolicy, type PolicyParts } from './gate/policy/create-policy.ts';
export type { Permissions, PermissionSource, PermissionsFile } from './gate/policy/file/permissions-file.ts';
export { readPermissions, type ReadPermissionsOptions } from './gate/policy/file/read-permissions.ts';
export type { Method, Policy, Scope, Subject, Verdict } from './gate/policy/policy.ts';
export { signatureOf } from './gate/policy/signature.ts';
export type {
  AnthropicTool,
  GeminiFunction,
  OpenAiFunction,
  OpenAiTool,
  ProviderOptions,
  ProviderTool,
} from './model/schemas/declare.ts';
export type { Provider } from './model/schemas/declare.ts';
export { toolsFor, type ToolsFor } from './model/schemas/tools-for.ts';
export type { TerminalPort } from './outside/terminal.ts';
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
export { createRuntime, type Runtime, type RuntimeOptions } from './runtime/create-runtime.ts';
export type { PluginLogged, RuntimeParts } from './runtime/runtime-parts.ts';
export type { ConsoleFiles } from './surface/http/console-routes.ts';
export type { HttpLimits } from './surface/http/limits.ts';
export { createHttpServer, type HttpServer, type HttpServerOptions } from './surface/http/server.ts';
export {
  createTokens,
  type NewToken,
  type TokenRequest,
  type Tokens,
  type TokenView,
} from './runtime/tokens/tokens.ts';
export type { TokenPurpose } from './runtime/tokens/token-purposes.ts';
