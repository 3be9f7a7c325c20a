// pluglot/testing: what authors and this project's own tests build on.
export { callTool, type CallToolOptions, type ToolCall } from './call-tool.ts';
export { checkPlugin, type CheckPluginOptions } from './check-plugin.ts';
export { fakeClock, type FakeClock } from './fake-clock.ts';
export { linkedPeers, type LinkedPeers, type LinkedPeersOptions } from './linked-peers.ts';
export type { Severity } from '../conformance/check.ts';
export type { Probe } from '../conformance/conversation.ts';
export type { CheckLimits } from '../conformance/limits.ts';
export type { CheckCounts, CheckReport, CheckResult, Grade } from '../conformance/report.ts';
export { badgeOf } from '../conformance/report.ts';
export { junitOf } from '../conformance/report.ts';
