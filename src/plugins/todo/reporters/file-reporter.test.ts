import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { origin, story, tell } from '../../../../test/support/plan-story.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { systemClock } from '../../../base/clock.ts';
import { fileReporter } from './file-reporter.ts';

describe('file', () => {
  const read = (folder: string, ...names: string[]): unknown =>
    JSON.parse(fs.readFileSync(path.join(folder, ...names), 'utf8'));

  test('writes the plan, its progress, its events and which is the latest', async () => {
    const folder = path.join(temporaryFolder(), 'state');
    const warnings: string[] = [];
    const events = story();
    const reporter = fileReporter(folder, {
      clock: systemClock,
      warn: (message) => void warnings.push(message),
    });
    tell(reporter, events);
    await expect
      .poll(() => fs.readdirSync(path.join(folder, 'plans', id(events), 'events')), { interval: 1 })
      .toHaveLength(8);
    await reporter.close();
    const plan = ['plans', id(events)] as const;
    expect(warnings).toEqual([]);
    expect(fs.readdirSync(path.join(folder, ...plan, 'events'))).toEqual([
      '001_plan_created.json',
      '002_plan_started.json',
      '003_step_in_progress.json',
      '004_step_completed.json',
      '005_step_added.json',
      '006_step_failed.json',
      '007_step_skipped.json',
      '008_plan_completed.json',
    ]);
    expect(read(folder, ...plan, 'plan.json')).toEqual(events.at(-1)?.[1]);
    const progress = {
      total: 3,
      completed: 1,
      failed: 1,
      skipped: 1,
      status: 'completed',
      updated_at: origin.now().toISOString(),
    };
    expect(read(folder, ...plan, 'progress.json')).toMatchObject(progress);
    expect(read(folder, ...plan, 'events', '004_step_completed.json')).toMatchObject({
      event_type: 'step_completed',
    });
    expect(read(folder, 'latest.json')).toMatchObject({
      plan_id: id(events),
      title: 'Tidy up',
      status: 'completed',
      progress,
    });
    expect(fs.statSync(path.join(folder, 'latest.json')).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(path.join(folder, ...plan)).toSorted()).toEqual([
      'events',
      'plan.json',
      'progress.json',
    ]);
  });

  test('goes on with the numbers of an earlier process', async () => {
    const folder = temporaryFolder();
    const events = story();
    for (const some of [events.slice(0, 2), events.slice(2, 3)]) {
      const reporter = fileReporter(folder, { clock: systemClock, warn: (message) => expect.fail(message) });
      tell(reporter, some);
      await expect
        .poll(() => fs.readdirSync(path.join(folder, 'plans', id(events), 'events')), { interval: 1 })
        .toContain(some.length === 2 ? '002_plan_started.json' : '003_step_in_progress.json');
      await reporter.close();
    }
  });

  test('a folder that cannot be written is told, and harms nobody', async () => {
    const folder = temporaryFolder({ taken: 'a file' });
    const warnings: string[] = [];
    const reporter = fileReporter(path.join(folder, 'taken'), {
      clock: systemClock,
      warn: (message) => void warnings.push(message),
    });
    tell(reporter, story().slice(0, 1));
    await expect.poll(() => warnings, { interval: 1 }).toHaveLength(1);
    expect(warnings[0]).toContain('could not be written');
  });

  function id(events: ReturnType<typeof story>): string {
    return events[0]?.[1].plan_id ?? '';
  }
});
