import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { story, tell } from '../../../../test/support/plan-story.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { systemClock } from '../../../base/clock.ts';
import { createReporter } from './create-reporter.ts';

test('several at once are told the same', async () => {
  const folder = temporaryFolder();
  const lines: string[] = [];
  const bodies: unknown[] = [];
  const reporter = createReporter(
    [
      { type: 'console', showTimestamps: false, progressBar: false, colors: false, width: 20, compact: true },
      { type: 'file', basePath: folder },
      { type: 'webhook', endpoint: 'http://localhost/', timeoutMs: 1000, headers: {} },
    ],
    {
      clock: systemClock,
      warn: (message) => expect.fail(message),
      print: (line) => void lines.push(line),
      fetch: (_, options) => {
        bodies.push(options?.body);
        return Promise.resolve(new Response(''));
      },
    },
  );
  tell(reporter, story().slice(0, 1));
  await expect.poll(() => fs.existsSync(path.join(folder, 'latest.json')), { interval: 1 }).toBe(true);
  await reporter.close();
  expect([lines.length > 0, bodies.length]).toEqual([true, 1]);
});
