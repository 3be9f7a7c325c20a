// Numbers of errors on the wire and the neutral codes, as far as they are the same in every dialect: those of JSON-RPC itself.
import type { ErrorCode } from '../base/error.ts';

export interface WireCode {
  readonly wireCode: number;
  /** As the specification calls it. */
  readonly name: string;
  readonly code: ErrorCode;
}

export const standardCodes: readonly WireCode[] = [
  { wireCode: -32700, name: 'Parse error', code: 'MESSAGE_REFUSED' },
  { wireCode: -32600, name: 'Invalid Request', code: 'MESSAGE_REFUSED' },
  { wireCode: -32601, name: 'Method not found', code: 'UNKNOWN_TOOL' },
  { wireCode: -32602, name: 'Invalid params', code: 'INVALID_ARGUMENTS' },
  { wireCode: -32603, name: 'Internal error', code: 'INTERNAL' },
];

export function codeIn(table: readonly WireCode[], wireCode: number | undefined): ErrorCode | undefined {
  return table.find((known) => known.wireCode === wireCode)?.code;
}

/** Of two numbers for one code the later one is said: of the two refusals, that of a request is the one a plugin can tell. */
export function wireCodeIn(table: readonly WireCode[], code: ErrorCode): number | undefined {
  return table.findLast((known) => known.code === code)?.wireCode;
}
