// Errors, both ways: what a number means, and which number says a code.
import { describe, expect, test } from 'vitest';
import { callAndHear } from '../../../test/support/dialect/dialect-host.ts';
import { both, discovered } from '../../../test/support/dialect/planner/ends.ts';
import { errorCodes, type ErrorCode } from '../../base/error.ts';
import { callFailureOf as failureOf, rpcErrorOf as errorOf } from './codes.ts';

describe('read', () => {
  // requirement: planner:errors:parse-error, planner:errors:invalid-request, planner:errors:method-not-found
  // requirement: planner:errors:invalid-params, planner:errors:internal-error, planner:errors:execution-timeout
  // requirement: planner:errors:resource-unavailable, planner:errors:rate-limit-exceeded
  // requirement: planner:errors:authentication-failed, planner:errors:type-timeout, planner:errors:type-parse-error
  // requirement: planner:errors:type-execution-error
  test.each<[number, string | undefined, ErrorCode]>([
    [-32700, undefined, 'MESSAGE_REFUSED'],
    [-32600, undefined, 'MESSAGE_REFUSED'],
    [-32601, undefined, 'UNKNOWN_TOOL'],
    [-32602, undefined, 'INVALID_ARGUMENTS'],
    [-32603, undefined, 'INTERNAL'],
    [-32000, 'TIMEOUT', 'TIMEOUT'],
    [-32000, 'PARSE_ERROR', 'MESSAGE_REFUSED'],
    [-32000, 'EXECUTION_ERROR', 'TOOL_FAILED'],
    [-32000, 'OTHER', 'TOOL_FAILED'],
    [-32001, undefined, 'UNAVAILABLE'],
    [-32002, undefined, 'RATE_LIMITED'],
    [-32003, 'TIMEOUT', 'UNAUTHENTICATED'],
    [-32099, 'TIMEOUT', 'TOOL_FAILED'],
    [7, undefined, 'TOOL_FAILED'],
  ])('%d of type %s is %s', async (wireCode, type, code) => {
    const { end, raw } = await discovered(both, { spec: { config: { retries: 0 } } });
    const { answer } = callAndHear(end, { tool: 'execute_task' });
    const { id } = await raw.nextRequest();
    raw.send({
      jsonrpc: '2.0',
      id,
      error: { code: wireCode, message: 'm', ...(type && { data: { type } }) },
    });
    expect(await answer).toMatchObject({ ok: false, error: { code, message: 'm', wireCode } });
  });

  test.each([
    ['Execution timeout', 'TIMEOUT'],
    ['The model timed out', 'TIMEOUT'],
    ['time-out', 'TIMEOUT'],
    ['Execution failed', 'TOOL_FAILED'],
    ['Too many requests', 'TOOL_FAILED'],
  ])('-32000 without a type goes by its message: "%s"', (message, code) => {
    expect(failureOf({ code: -32000, message })).toMatchObject({ code });
  });

  test('an error without a message has the name of its number', () => {
    expect(failureOf({ code: -32002, message: '' }).message).toBe('Rate limit exceeded');
    expect(failureOf({ code: 5, message: '' }).message).toBe(
      'The plugin answered with error 5 and no message.',
    );
  });

  test('data of any kind is kept', () => {
    for (const data of [null, 5, 'x', [1], { type: 5, details: null, recovery_suggestions: 'x' }])
      expect(failureOf({ code: -32000, message: 'm', data })).toEqual({
        code: 'TOOL_FAILED',
        message: 'm',
        wireCode: -32000,
        data,
      });
  });

  test('what a failed task had made is kept', async () => {
    const { end, raw } = await discovered();
    const { answer } = callAndHear(end, { tool: 'execute_task' });
    const { id } = await raw.nextRequest();
    const data = { type: 'EXECUTION_ERROR', output: { code: 'half', data: [1], outputs: { a: 'b' } } };
    raw.send({ jsonrpc: '2.0', id, error: { code: -32000, message: 'm', data } });
    expect(await answer).toMatchObject({ ok: false, text: 'half', data: [1], outputs: { a: 'b' } });
  });
});

describe('said', () => {
  // requirement: planner:served-errors:internal-error, planner:served-errors:execution-timeout
  // requirement: planner:served-errors:resource-unavailable, planner:served-errors:authentication-failed
  // requirement: planner:served-errors:type-timeout, planner:served-errors:type-parse-error
  // requirement: planner:served-errors:type-execution-error
  test.each<[ErrorCode, number, string]>([
    ['TIMEOUT', -32000, 'TIMEOUT'],
    ['CALL_TIMEOUT', -32000, 'TIMEOUT'],
    ['TOOL_FAILED', -32000, 'EXECUTION_ERROR'],
    ['MESSAGE_REFUSED', -32000, 'PARSE_ERROR'],
    ['UNSUPPORTED', -32000, 'EXECUTION_ERROR'],
    ['UNAVAILABLE', -32001, 'EXECUTION_ERROR'],
    ['REQUIREMENT_MISSING', -32001, 'EXECUTION_ERROR'],
    ['NOT_INITIALIZED', -32001, 'EXECUTION_ERROR'],
    ['RATE_LIMITED', -32002, 'EXECUTION_ERROR'],
    ['UNAUTHENTICATED', -32003, 'EXECUTION_ERROR'],
    ['UNKNOWN_TOOL', -32601, 'EXECUTION_ERROR'],
    ['INVALID_ARGUMENTS', -32602, 'PARSE_ERROR'],
    ['INTERNAL', -32603, 'EXECUTION_ERROR'],
  ])('%s as %d of type %s', (code, wireCode, type) => {
    const error = errorOf({ ok: false, error: { code, message: 'm' } }, false);
    expect(error).toMatchObject({ code: wireCode, message: 'm', data: { type, details: 'm' } });
  });

  test.each(Object.keys(errorCodes) as ErrorCode[])('%s is understood at the other end', (code) => {
    const { code: wireCode, message, data } = errorOf({ ok: false, error: { code, message: 'm' } }, false);
    expect(failureOf({ code: wireCode, message, data }).code).toBe(code);
  });

  // requirement: planner:served-errors:stack-trace
  test('the stack is sent in debug mode only, wherever it comes from', () => {
    const stack = 'Error: m\n  at a.ts:1';
    for (const failure of [
      { code: 'INTERNAL', message: 'm', details: { stack } },
      { code: 'INTERNAL', message: 'm', data: { stack_trace: stack } },
    ] as const) {
      expect(errorOf({ ok: false, error: failure }, true).data).toEqual({
        type: 'EXECUTION_ERROR',
        details: 'm',
        stack_trace: stack,
        recovery_suggestions: [],
      });
      expect(errorOf({ ok: false, error: failure }, false).data).toEqual({
        type: 'EXECUTION_ERROR',
        details: 'm',
        recovery_suggestions: [],
      });
    }
  });

  test('a failure carries what a success carries, and all that its author said', () => {
    const { data } = errorOf(
      {
        ok: false,
        text: 'half',
        data: { n: 1 },
        outputs: { a: 'b' },
        error: {
          code: 'TOOL_FAILED',
          message: '',
          reason: 'NoSpace',
          details: { disk: '/dev/sda' },
          recoverable: true,
          suggestions: ['Make room.'],
          data: { left: 0 },
        },
      },
      false,
    );
    expect(data).toEqual({
      type: 'EXECUTION_ERROR',
      details: { disk: '/dev/sda' },
      recovery_suggestions: ['Make room.'],
      recoverable: true,
      reason: 'NoSpace',
      left: 0,
      output: { code: 'half', data: { n: 1 }, outputs: { a: 'b' } },
    });
  });
});
