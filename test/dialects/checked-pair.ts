// The checks of a dialect on a plugin of another that is served in it, by the built command.
import type { DialectName } from '../../src/definition/plugin-spec.ts';
import type { CheckReport } from '../../src/conformance/report.ts';
import { cli } from '../support/surface/command-line.ts';
import { serveWords } from './served-pair.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The ids of the checks that it does not pass. `only` names those that are made. @default all */
export async function failedChecks(
  source: DialectName,
  target: DialectName,
  only?: string,
): Promise<{ readonly failed: readonly string[]; readonly passed: number }> {
  const words = ['--json', '--dialect', target, '--tool', 'greet', 'name=Ada'];
  const some = only === undefined ? [] : ['--only', only];
  const { stdout, stderr } = await cli(
    ['check', ...some, ...words, '--', process.execPath, ...serveWords(source, target)],
    { home: temporaryFolder() },
  );
  if (stdout === '') throw new Error(stderr);
  // The command's own report.
  const { results, counts } = JSON.parse(stdout) as CheckReport;
  const failed = results.filter(({ verdict, severity }) => verdict === 'failed' && severity !== 'info');
  return { failed: failed.map(({ id }) => id), passed: counts.passed };
}
