// What became of a plugin, in the words in which a tool fails: another dialect has numbers for these alone.
import type { ErrorCode } from '../../base/error.ts';
import type { CallFailure } from '../../definition/outcome.ts';

/** The number was that of the plugin's own dialect and means something else in another; the code before is kept as the reason. */
export function inToolWords({ wireCode: _wireCode, ...failure }: CallFailure): CallFailure {
  const code = words[failure.code];
  if (code === failure.code) return failure;
  return { ...failure, code, reason: failure.reason ?? failure.code };
}

const words: Readonly<Record<ErrorCode, ErrorCode>> = {
  INTERNAL: 'INTERNAL',
  INVALID_ARGUMENTS: 'INVALID_ARGUMENTS',
  NOT_INITIALIZED: 'NOT_INITIALIZED',
  RATE_LIMITED: 'RATE_LIMITED',
  REQUIREMENT_MISSING: 'REQUIREMENT_MISSING',
  TIMEOUT: 'TIMEOUT',
  TOOL_FAILED: 'TOOL_FAILED',
  UNAUTHENTICATED: 'UNAUTHENTICATED',
  UNAVAILABLE: 'UNAVAILABLE',
  UNKNOWN_TOOL: 'UNKNOWN_TOOL',
  UNSUPPORTED: 'UNSUPPORTED',
  CALL_CANCELLED: 'CALL_CANCELLED',
  NOT_TALKING: 'NOT_TALKING',

  CALL_TIMEOUT: 'TIMEOUT',
  ACK_TIMEOUT: 'TIMEOUT',
  TALK_TIMEOUT: 'TIMEOUT',
  START_TIMEOUT: 'TIMEOUT',
  TOO_MANY_CALLS: 'RATE_LIMITED',
  BUDGET_SPENT: 'RATE_LIMITED',

  PERMISSION_DENIED: 'TOOL_FAILED',

  AUDIT_FAILED: 'UNAVAILABLE',
  BAD_REQUEST: 'UNAVAILABLE',
  CRASH_LOOP: 'UNAVAILABLE',
  DIALECT_UNKNOWN: 'UNAVAILABLE',
  NOT_FOUND: 'UNAVAILABLE',
  NOT_TRUSTED: 'UNAVAILABLE',
  PEER_CLOSED: 'UNAVAILABLE',
  PIPE_ENDED: 'UNAVAILABLE',
  PIPE_FULL: 'UNAVAILABLE',
  PLUGIN_EXITED: 'UNAVAILABLE',
  PLUGIN_STOPPED: 'UNAVAILABLE',
  PROGRAM_NOT_FOUND: 'UNAVAILABLE',
  REQUEST_REFUSED: 'UNAVAILABLE',
  START_FAILED: 'UNAVAILABLE',
  UNKNOWN_PLUGIN: 'UNAVAILABLE',
  WATCHDOG_KILLED: 'UNAVAILABLE',

  CONFIG_INVALID: 'INTERNAL',
  DEFINITION_INVALID: 'INTERNAL',
  FRAME_TOO_LARGE: 'INTERNAL',
  INVALID_RESPONSE: 'INTERNAL',
  MESSAGE_REFUSED: 'INTERNAL',
  OUTPUT_INVALID: 'INTERNAL',
  PROTOCOL_VIOLATION: 'INTERNAL',
  UNENCODABLE: 'INTERNAL',
  UNSUPPORTED_PROTOCOL: 'INTERNAL',
};
