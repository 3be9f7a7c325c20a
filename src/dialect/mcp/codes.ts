// The numbers that MCP servers fail with, in the words all dialects share. docs/dialects/mcp.md shows the table; a test compares them.
import type { ErrorCode } from '../../base/error.ts';
import { standardCodes } from '../failure.ts';

/** What a number means when the answer to a request carries it. */
export const neutralCodes: Readonly<Record<number, ErrorCode>> = {
  ...Object.fromEntries(standardCodes.map(({ wireCode, code }) => [wireCode, code])),
  // A resource that is not there, until 2025-11-25; later that is -32602.
  [-32002]: 'INVALID_ARGUMENTS',
  // What older SDKs answer when something behind them took too long.
  [-32001]: 'TIMEOUT',
  [-32020]: 'MESSAGE_REFUSED',
  [-32021]: 'REQUIREMENT_MISSING',
  [-32022]: 'UNSUPPORTED_PROTOCOL',
  // The user has to visit an address first, most often to log in.
  [-32042]: 'UNAUTHENTICATED',
};

/** The number for a neutral code; a tool that fails answers with a result instead. */
export const wireCodes: Readonly<Partial<Record<ErrorCode, number>>> = {
  MESSAGE_REFUSED: -32600,
  UNKNOWN_TOOL: -32602,
  INVALID_ARGUMENTS: -32602,
  INTERNAL: -32603,
  TIMEOUT: -32001,
  REQUIREMENT_MISSING: -32021,
  UNSUPPORTED_PROTOCOL: -32022,
  UNAUTHENTICATED: -32042,
};

/** What the status of an HTTP answer means for a call. */
export const statusCodes: Readonly<Record<number, ErrorCode>> = {
  401: 'UNAUTHENTICATED',
  403: 'UNAUTHENTICATED',
  408: 'TIMEOUT',
  429: 'RATE_LIMITED',
  504: 'TIMEOUT',
};

/** The specification gives -32602 to an unknown tool as well as to wrong arguments; only the message differs. */
const UNKNOWN_TOOL = /\bunknown tool\b|\btool\b.{0,200}\b(?:not found|does not exist|is unknown)\b/i;

export function neutralCode(wireCode: number, message: string): ErrorCode {
  if (wireCode === -32602 && UNKNOWN_TOOL.test(message)) return 'UNKNOWN_TOOL';
  // JSON-RPC leaves what is outside of its own range to the application, which is the tool here.
  return neutralCodes[wireCode] ?? (isReserved(wireCode) ? 'INTERNAL' : 'TOOL_FAILED');
}

function isReserved(wireCode: number): boolean {
  return wireCode >= -32768 && wireCode <= -32000;
}

export function codeOfStatus(status: number): ErrorCode {
  return statusCodes[status] ?? 'UNAVAILABLE';
}
