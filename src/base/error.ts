// Every failure of our own is one PluglotError with a stable code; what the other end answered is an RpcError (channel/message).

/** The codes and when they happen. docs/errors.md has a line for each, held by a test. */
export const errorCodes = {
  // What a tool answered, in the words all dialects share.
  INTERNAL: 'the plugin failed in a way that it did not expect itself',
  INVALID_ARGUMENTS: 'the arguments of a call are not what the tool takes',
  NOT_INITIALIZED: 'the plugin says that it was not set up',
  RATE_LIMITED: 'the plugin or this host says that something is asked for too often',
  REQUIREMENT_MISSING: 'a program or service that the plugin needs is not there',
  TIMEOUT: 'the plugin says that its work took too long',
  TOOL_FAILED: 'the tool did its work and says that it failed',
  UNAUTHENTICATED: 'the plugin says that it is not allowed in somewhere',
  UNAVAILABLE: 'the plugin says that what it works with is not available now',
  UNKNOWN_TOOL: 'no plugin has a tool of this name',
  UNSUPPORTED: 'the plugin cannot deal with what it was given',

  // What became of a call on the way.
  CALL_CANCELLED: 'the caller gave the call up',
  CALL_TIMEOUT: 'no answer came within the time limit of the call',
  ACK_TIMEOUT: 'the plugin did not acknowledge an input within its time limit',
  TALK_TIMEOUT: 'a conversation with a plugin was over its time limit',
  NOT_TALKING: 'the plugin does not take part in conversations, or this one is over',
  TOO_MANY_CALLS: 'more calls are under way or waiting than the limit allows',
  OUTPUT_INVALID: 'the tool answered with something that its own output schema does not allow',

  // What the gate of this host says to a call.
  PERMISSION_DENIED: 'a rule, a person or the lack of both does not let the call happen',
  BUDGET_SPENT: 'the calls that were granted are used up',
  AUDIT_FAILED: 'what happens could not be written to the audit log',

  // What became of a plugin.
  CRASH_LOOP: 'the plugin failed too often and is not started again by itself',
  DIALECT_UNKNOWN: 'no dialect was found that the plugin answers in',
  PLUGIN_EXITED: 'the process of the plugin ended while something was expected of it',
  PLUGIN_STOPPED: 'the plugin was stopped by its user',
  PROGRAM_NOT_FOUND: 'the program of a plugin is not there or cannot be run',
  START_FAILED: 'the plugin refused to start up',
  START_TIMEOUT: 'the plugin did not introduce itself within its time limit',
  UNKNOWN_PLUGIN: 'no plugin of this name is known',
  WATCHDOG_KILLED: 'the plugin was ended because it was frozen',

  // What is wrong with what a plugin says.
  MESSAGE_REFUSED: 'the plugin says that it cannot read what it was sent',
  PROTOCOL_VIOLATION: 'a plugin said something that its dialect does not allow there',
  UNSUPPORTED_PROTOCOL: 'the plugin speaks a version of its protocol that is not supported',

  // What is wrong with what this machine has.
  CONFIG_INVALID: 'a configuration file cannot be used as it is',
  DEFINITION_INVALID: 'what an author defines makes no plugin',
  NOT_TRUSTED: 'something found on disk would have to be executed and is not trusted yet',

  // What is wrong with a request over HTTP.
  BAD_REQUEST: 'a request over HTTP is not what its address takes',
  NOT_FOUND: 'nothing is there under the address or the id of a request',
  REQUEST_REFUSED: 'a request over HTTP comes from a place that may not make it',

  // The channel.
  FRAME_TOO_LARGE: 'a message is over the size limit of its direction',
  INVALID_RESPONSE: 'the other end answered with something that is no JSON-RPC response',
  PEER_CLOSED: 'this end is closing or closed and takes no new calls',
  PIPE_ENDED: 'the pipe to the other end is gone',
  PIPE_FULL: 'the queue of a pipe is at its limit because the other end does not read',
  UNENCODABLE: 'a value has no JSON form, or one that JSON-RPC does not allow there',
} as const;

export type ErrorCode = keyof typeof errorCodes;

export class PluglotError extends Error {
  override readonly name = 'PluglotError';
  readonly code: ErrorCode;
  /** The last that a plugin printed, when its process is what failed. */
  declare readonly stderr?: string;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown; stderr?: string | undefined }) {
    super(message, options);
    this.code = code;
    if (options?.stderr !== undefined && options.stderr !== '') this.stderr = options.stderr;
  }
}

/** What was thrown, as an Error: people throw strings too. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
