import { expect, test } from 'vitest';
import { read } from '../../../test/support/markdown.ts';
import { errorCodes } from '../../base/error.ts';
import { ExitCode, exitCodeOf } from './exit-code.ts';
import { isErrorCode } from './failure.ts';

test('docs/cli.md lists the exit codes that there are', () => {
  const documented = [...read('docs/cli.md').matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  expect(documented).toEqual(Object.values(ExitCode));
});

test('every error code has an exit code that is no success', () => {
  for (const code of Object.keys(errorCodes).filter(isErrorCode)) {
    expect(Object.values(ExitCode)).toContain(exitCodeOf(code));
    expect(exitCodeOf(code)).not.toBe(ExitCode.ok);
  }
});
