// Every failure of our own is one PluglotError with a stable code; what the other end answered is an RpcError (channel/message).

/** The codes and when they happen. docs/errors.md has a line for each, held by a test. */
export const errorCodes = {
  // Errors of a tool, in the codes that all dialects share.
  INTERNAL: 'the plugin failed in a way that it did not expect itself',
  INVALID_ARGUMENTS: 'the arguments of a call are not what the tool takes',
  NOT_INITIALIZED: 'the plugin reports that it was not set up',
  RATE_LIMITED: 'the plugin or this host reports too many requests',
  REQUIREMENT_MISSING: 'a program or service that the plugin needs is not there',
  TIMEOUT: 'the plugin reports that its work took too long',
  TOOL_FAILED: 'the tool ran and reports a failure',
  UNAUTHENTICATED: 'the plugin reports that a service denied it access',
  UNAVAILABLE: 'the plugin reports that a service it needs is unavailable',
  UNKNOWN_TOOL: 'no plugin has a tool of this name',
  UNSUPPORTED: 'the plugin cannot deal with what it was given',

  // Calls that failed on the way.
  CALL_CANCELLED: 'the caller cancelled the call',
  CALL_TIMEOUT: 'no answer came within the time limit of the call',
  ACK_TIMEOUT: 'the plugin did not acknowledge an input within its time limit',
  TALK_TIMEOUT: 'a conversation with a plugin was over its time limit',
  NOT_TALKING: 'the plugin does not take part in conversations, or this one is over',
  TOO_MANY_CALLS: 'more calls are under way or waiting than the limit allows',
  OUTPUT_INVALID: 'the tool answered with something that its own output schema does not allow',

  // Calls that the gate refused.
  PERMISSION_DENIED: 'a rule, a person or the lack of both does not let the call happen',
  BUDGET_SPENT: 'the calls that were granted are used up',
  AUDIT_FAILED: 'what happens could not be written to the audit log',

  // Plugins that failed.
  CRASH_LOOP: 'the plugin failed too often and is not restarted automatically',
  DIALECT_UNKNOWN: 'no dialect was found that the plugin answers in',
  PLUGIN_EXITED: 'the process of the plugin ended while something was expected of it',
  PLUGIN_STOPPED: 'the plugin was stopped by its user',
  PROGRAM_NOT_FOUND: 'the program of a plugin is not there or cannot be run',
  START_FAILED: 'the plugin refused to start up',
  START_TIMEOUT: 'the plugin did not complete its handshake within the time limit',
  UNKNOWN_PLUGIN: 'no plugin of this name is known',
  WATCHDOG_KILLED: 'the plugin was ended because it was frozen',

  // Messages of a plugin that are wrong.
  MESSAGE_REFUSED: 'the plugin reports that it cannot read a message',
  PROTOCOL_VIOLATION: 'a plugin sent a message that its dialect does not allow there',
  UNSUPPORTED_PROTOCOL: 'the plugin speaks a version of its protocol that is not supported',

  // Files and settings of this machine that are wrong.
  CONFIG_INVALID: 'a configuration file is invalid',
  DEFINITION_INVALID: 'the definition of an author is not a valid plugin',
  NOT_TRUSTED: 'something found on disk would have to be executed and is not trusted yet',

  // HTTP requests that are wrong.
  BAD_REQUEST: 'a request over HTTP is not what its address takes',
  NOT_FOUND: 'nothing is there under the address or the id of a request',
  REQUEST_REFUSED: 'a request over HTTP comes from a place that may not make it',

  // The channel.
  FRAME_TOO_LARGE: 'a message is over the size limit of its direction',
  INVALID_RESPONSE:
    'the other end answered with something that is not a JSON-RPC response, or is nested too deeply',
  PEER_CLOSED: 'this end is closing or closed and takes no new calls',
  PIPE_ENDED: 'the pipe to the other end is gone',
  PIPE_FULL: 'the queue of a pipe is at its limit because the other end does not read',
  UNENCODABLE: 'a value has no JSON form, or one that JSON-RPC does not allow there',
} as const;

export type ErrorCode = keyof typeof errorCodes;

export class PluglotError extends Error {
  override readonly name = 'PluglotError';
  readonly code: ErrorCode;
  /** The end of the plugin's stderr, if its process failed. */
  declare readonly stderr?: string;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown; stderr?: string | undefined }) {
    super(message, options);
    this.code = code;
    if (options?.stderr !== undefined && options.stderr !== '') this.stderr = options.stderr;
  }
}

/** A thrown value as an Error: code of others throws strings too. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
