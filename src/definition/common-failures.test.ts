import { expect, test } from 'vitest';
import { failures, failureOf, isFailure } from './failure.ts';

test.each<[string, () => never, object]>([
  [
    'not initialised',
    () => failures.notInitialized(),
    {
      code: 'NOT_INITIALIZED',
      reason: 'NotInitialized',
      message: 'The plugin is not set up yet.',
      recoverable: true,
    },
  ],
  [
    'an unsupported format',
    () => failures.unsupported({ given: 'image/png', supported: ['text/plain'] }),
    {
      code: 'UNSUPPORTED',
      reason: 'UnsupportedFormat',
      message: 'Unsupported format: image/png. Supported: text/plain',
      recoverable: false,
      data: { supported_formats: ['text/plain'] },
    },
  ],
  [
    'a timeout with what was found',
    () =>
      failures.timeout({ timeoutMs: 30_000, partial: { text: 'so far' }, data: { functions_extracted: 15 } }),
    {
      code: 'TIMEOUT',
      reason: 'Timeout',
      message: 'Timed out after 30 s.',
      recoverable: true,
      data: { timeout_sec: 30, partial_extraction: true, functions_extracted: 15 },
    },
  ],
  [
    'a missing dependency',
    () =>
      failures.dependencyMissing({
        dependency: 'ghidra',
        envVar: 'GHIDRA_HOME',
        configKey: 'ghidra_install',
      }),
    {
      code: 'REQUIREMENT_MISSING',
      reason: 'DependencyMissing',
      message:
        'ghidra was not found. Install it, or set GHIDRA_HOME in its environment, or give "ghidra_install" in its configuration.',
      recoverable: false,
      data: { dependency: 'ghidra', env_var: 'GHIDRA_HOME', config_key: 'ghidra_install' },
    },
  ],
])('%s', (_, raise, failure) => {
  expect(failureOf(thrownBy(raise))).toEqual(failure);
});

test('a timeout keeps what was found, and words of the author win', () => {
  const thrown = thrownBy(() => failures.timeout({ message: 'too slow', partial: { text: 'so far' } }));
  expect(isFailure(thrown) && thrown.partial).toEqual({ text: 'so far' });
  expect(thrown).toHaveProperty('message', 'too slow');
});

function thrownBy(raise: () => never): unknown {
  try {
    return raise();
  } catch (thrown) {
    return thrown;
  }
}
