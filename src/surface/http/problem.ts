// What goes wrong with a request, as application/problem+json (RFC 9457).
import { errorCodes, PluglotError, toError, type ErrorCode } from '../../base/error.ts';

/** A problem with its own status. */
export class HttpProblem extends PluglotError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: ErrorCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(code, message);
    this.status = status;
    this.headers = headers;
  }
}

interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  /** The last that a plugin printed before it failed. */
  readonly stderr?: string;
}

export function badRequest(message: string): HttpProblem {
  return new HttpProblem(400, 'BAD_REQUEST', message);
}

export function notFound(message: string): HttpProblem {
  return new HttpProblem(404, 'NOT_FOUND', message);
}

export function problemOf(
  thrown: unknown,
): ProblemBody & { readonly headers: Readonly<Record<string, string>> } {
  // The message of an unexpected error is not for clients.
  const error =
    thrown instanceof PluglotError
      ? thrown
      : new PluglotError('INTERNAL', 'Something unexpected happened in the host.', {
          cause: toError(thrown),
        });
  const { code, message, stderr } = error;
  const status = error instanceof HttpProblem ? error.status : (statuses[code] ?? 500);
  const headers = error instanceof HttpProblem ? error.headers : {};
  const body = { type: `urn:pluglot:${code}`, title: titleOf(code), status, detail: message, code };
  return { ...body, ...(stderr !== undefined && { stderr }), headers };
}

function titleOf(code: ErrorCode): string {
  const words = errorCodes[code];
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

const statuses: Partial<Record<ErrorCode, number>> = {
  BAD_REQUEST: 400,
  INVALID_ARGUMENTS: 400,
  CONFIG_INVALID: 400,
  UNENCODABLE: 400,
  UNAUTHENTICATED: 401,
  NOT_TRUSTED: 403,
  PERMISSION_DENIED: 403,
  REQUEST_REFUSED: 403,
  NOT_FOUND: 404,
  UNKNOWN_PLUGIN: 404,
  UNKNOWN_TOOL: 404,
  NOT_TALKING: 409,
  PLUGIN_STOPPED: 409,
  FRAME_TOO_LARGE: 413,
  UNSUPPORTED: 422,
  BUDGET_SPENT: 429,
  RATE_LIMITED: 429,
  TOO_MANY_CALLS: 429,
  CRASH_LOOP: 502,
  DIALECT_UNKNOWN: 502,
  PLUGIN_EXITED: 502,
  PROGRAM_NOT_FOUND: 502,
  PROTOCOL_VIOLATION: 502,
  REQUIREMENT_MISSING: 502,
  START_FAILED: 502,
  UNSUPPORTED_PROTOCOL: 502,
  WATCHDOG_KILLED: 502,
  UNAVAILABLE: 503,
  CALL_TIMEOUT: 504,
  START_TIMEOUT: 504,
  TIMEOUT: 504,
};
