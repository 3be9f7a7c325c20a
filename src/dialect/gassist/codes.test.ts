// The error codes in both directions, and on the page of the dialect.
import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { errorCodes, type ErrorCode } from '../../base/error.ts';
import { codeOf, wireCodeOf, wireCodes } from './codes.ts';

describe('a number of the protocol has its neutral code, and back', () => {
  // requirement: gassist:codes:parse-error, gassist:codes:invalid-request, gassist:codes:method-not-found
  // requirement: gassist:codes:invalid-params, gassist:codes:internal-error
  // requirement: gassist:codes:plugin-error, gassist:codes:timeout, gassist:codes:rate-limited
  test.each([
    [-32700, 'MESSAGE_REFUSED', -32600],
    [-32600, 'MESSAGE_REFUSED', -32600],
    [-32601, 'UNKNOWN_TOOL', -32601],
    [-32602, 'INVALID_ARGUMENTS', -32602],
    [-32603, 'INTERNAL', -32603],
    [-1, 'TOOL_FAILED', -1],
    [-2, 'TIMEOUT', -2],
    [-3, 'RATE_LIMITED', -3],
  ] as const)('%d is %s is %d', (wireCode, code, back) => {
    expect(codeOf(wireCode)).toBe(code);
    expect(wireCodeOf(code)).toBe(back);
  });

  test.each([undefined, 0, 1, -4, -32000, 404, NaN])('%j is that of a tool that failed', (wireCode) => {
    expect(codeOf(wireCode)).toBe('TOOL_FAILED');
  });

  test('every other code is an error of the plugin', () => {
    const known = new Set<string>(wireCodes.map(({ code }) => code));
    const others = Object.keys(errorCodes).filter((code) => !known.has(code)) as ErrorCode[];
    expect(others.filter((code) => wireCodeOf(code) !== -1)).toEqual(['CALL_TIMEOUT', 'TOO_MANY_CALLS']);
  });

  test('a call that is passed on ends for the same reasons as any other', () => {
    expect(wireCodeOf('CALL_TIMEOUT')).toBe(wireCodeOf('TIMEOUT'));
    expect(wireCodeOf('TOO_MANY_CALLS')).toBe(wireCodeOf('RATE_LIMITED'));
  });
});

const page = fs.readFileSync(new URL('../../../docs/dialects/gassist.md', import.meta.url), 'utf8');

describe('the page of the dialect', () => {
  test('has the same table', () => {
    const rows = [...page.matchAll(/^\| `(-\d+)` \| (.+?) \| `(\w+)` \|/gm)].map(
      ([, wireCode, name, code]) => ({
        wireCode: Number(wireCode),
        name,
        code,
      }),
    );
    expect(rows).toEqual(wireCodes.map(({ wireCode, name, code }) => ({ wireCode, name, code })));
  });

  // requirement: gassist:migration:install-sdk, gassist:migration:replace-code, gassist:migration:protocol-version
  // requirement: gassist:migration:no-heartbeats, gassist:migration:no-pipes
  test('has the five steps away from V1', () => {
    const steps = page.slice(page.indexOf('## From V1'));
    expect(steps).toMatch(
      /1\. .*SDK[^]*2\. .*code[^]*3\. .*protocol_version[^]*4\. .*heartbeat[^]*5\. .*pipe/i,
    );
  });
});
