// The exit codes of commands. The numbers are a contract.
import type { ErrorCode } from '../../base/error.ts';

export const ExitCode = {
  ok: 0,
  /** The tool or task failed. */
  failed: 1,
  usage: 2,
  /** A plugin or protocol failed. */
  broken: 3,
  denied: 4,
  timeLimit: 124,
  interrupted: 130,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

export function exitCodeOf(code: ErrorCode): ExitCode {
  return exitCodes[code];
}

const exitCodes: Record<ErrorCode, ExitCode> = {
  INTERNAL: ExitCode.failed,
  NOT_INITIALIZED: ExitCode.failed,
  OUTPUT_INVALID: ExitCode.failed,
  RATE_LIMITED: ExitCode.failed,
  REQUIREMENT_MISSING: ExitCode.failed,
  TIMEOUT: ExitCode.failed,
  TOOL_FAILED: ExitCode.failed,
  UNAUTHENTICATED: ExitCode.failed,
  UNAVAILABLE: ExitCode.failed,
  UNSUPPORTED: ExitCode.failed,

  BAD_REQUEST: ExitCode.usage,
  CONFIG_INVALID: ExitCode.usage,
  DEFINITION_INVALID: ExitCode.usage,
  INVALID_ARGUMENTS: ExitCode.usage,
  NOT_FOUND: ExitCode.usage,
  NOT_TALKING: ExitCode.usage,
  UNKNOWN_PLUGIN: ExitCode.usage,
  UNKNOWN_TOOL: ExitCode.usage,

  CRASH_LOOP: ExitCode.broken,
  DIALECT_UNKNOWN: ExitCode.broken,
  FRAME_TOO_LARGE: ExitCode.broken,
  INVALID_RESPONSE: ExitCode.broken,
  MESSAGE_REFUSED: ExitCode.broken,
  PEER_CLOSED: ExitCode.broken,
  PIPE_ENDED: ExitCode.broken,
  PIPE_FULL: ExitCode.broken,
  PLUGIN_EXITED: ExitCode.broken,
  PLUGIN_STOPPED: ExitCode.broken,
  PROGRAM_NOT_FOUND: ExitCode.broken,
  PROTOCOL_VIOLATION: ExitCode.broken,
  START_FAILED: ExitCode.broken,
  TOO_MANY_CALLS: ExitCode.broken,
  UNENCODABLE: ExitCode.broken,
  UNSUPPORTED_PROTOCOL: ExitCode.broken,
  WATCHDOG_KILLED: ExitCode.broken,

  AUDIT_FAILED: ExitCode.denied,
  BUDGET_SPENT: ExitCode.denied,
  NOT_TRUSTED: ExitCode.denied,
  PERMISSION_DENIED: ExitCode.denied,
  REQUEST_REFUSED: ExitCode.denied,

  ACK_TIMEOUT: ExitCode.timeLimit,
  CALL_TIMEOUT: ExitCode.timeLimit,
  START_TIMEOUT: ExitCode.timeLimit,
  TALK_TIMEOUT: ExitCode.timeLimit,

  CALL_CANCELLED: ExitCode.interrupted,
};
