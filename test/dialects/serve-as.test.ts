// Every dialect served in every other: what comes through is what the table of docs/serve-as.md says, and what must, does.
import { describe, expect, test } from 'vitest';
import { dialectNames, type DialectName } from '../../src/definition/plugin-spec.ts';
import { callAndHear } from '../support/dialect/dialect-host.ts';
import { tableIn, read } from '../support/markdown.ts';
import { errorOf, passages, servePair } from './served-pair.ts';

const pairs = dialectNames.flatMap((source) => dialectNames.map((target) => [source, target] as const));

describe('what comes through is what the table says', () => {
  test.each(pairs)('%s as %s', async (source, target) => {
    expect(await passages(source, target)).toEqual(promised(source, target));
  });
});

describe('whatever goes wrong behind it, the host is told in its own words', () => {
  test.each(pairs)('%s as %s', async (source, target) => {
    const { end } = await servePair(source, target);
    const call = async (tool: string, args = {}) => callAndHear(end, { tool, args }).answer;
    expect(errorOf(await call('unheard-of'))).toMatchObject({ code: 'UNKNOWN_TOOL' });
    expect(errorOf(await call('greet', { name: 7 }))).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining('name') as string,
    });
    // The process is gone, the served end is not.
    expect(errorOf(await call('crash'))?.message).toContain('exited with code 7');
    expect(await call('greet', { name: 'Ada' })).toMatchObject({ ok: true, text: 'Hello, Ada!' });
  });
});

/** A cell says `from` where plugins of the dialect can say it, and `to` where its hosts can hear it. */
function promised(source: DialectName, target: DialectName): Record<string, boolean> {
  const rows = tableIn(read('docs/serve-as.md'), 'what');
  return Object.fromEntries(
    rows.map((row) => {
      const [what = '', from = '', to = ''] = [row['what'], row[source], row[target]];
      return [what, /\bfrom\b/.test(from) && /\bto\b/.test(to)];
    }),
  );
}
