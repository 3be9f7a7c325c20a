import { expect, test } from 'vitest';
import { recordSoak } from '../support/soak-results.ts';
import { seed } from '../support/seed.ts';
import { killHosts } from './kill-hosts.ts';

const KILLS = 200;

test.each(['namespace', 'warden', 'group'] as const)(
  '200 hosts, killed in every way, leave no process behind: %s',
  async (mode) => {
    const startedAt = performance.now();
    const report = await killHosts(mode, KILLS, seed());
    expect(report, `seed ${seed()}`).toMatchObject({
      kills: KILLS,
      survivors: [],
      bystanders: 'untouched',
      files: [],
    });
    const ways = Object.entries(report.ways).map(([way, count]) => `${way} ${count}`);
    recordSoak({
      what: `hosts killed while their plugins start, run and end, contained by ${mode}`,
      count: KILLS,
      details: `seed ${seed()}, 0 survivors; ${ways.sort().join(', ')}`,
      durationMs: performance.now() - startedAt,
    });
  },
);
