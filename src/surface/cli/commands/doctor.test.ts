import pc from 'picocolors';
import { expect, test } from 'vitest';
import type { DoctorReport } from '../../../runtime/doctor/doctor.ts';
import { finding } from '../../../runtime/doctor/finding.ts';
import { doctorCard } from './doctor.ts';
import { silentTerminal, type Terminal } from '../terminal.ts';

const ended = finding({
  code: 'exits-at-start',
  plugin: 'notes',
  what: 'Plugin "notes" exited with code 1 before it had answered in any dialect.',
  fix: 'Run it by hand, and fix what it reports.',
  command: 'node notes.mjs',
  stderr: `Error: Cannot find module './store.js'\n${'    at Module._load (node:internal/modules/cjs/loader:1:2)\n'.repeat(9)}`,
});
const works = {
  from: '/home/me/pluglot.json:3',
  dialect: 'gassist',
  version: '1.0.0',
  tools: 12,
  startMs: 400,
};
const report: DoctorReport = {
  ok: false,
  machine: {
    node: '20.19.0',
    platform: 'linux x64',
    python: '/usr/bin/python3',
    containment: 'namespace',
    stateFolder: '/home/me/.local/state',
    audit: 12,
  },
  plugins: [
    { ...works, name: 'dice', findings: [] },
    { ...works, name: 'a-plugin-with-a-long-name', findings: [] },
    { name: 'notes', from: '/home/me/pluglot.json:9', findings: [ended] },
  ],
  findings: [ended],
  counts: { errors: 1, warnings: 0, infos: 0 },
};

test('what is wrong in full, with the line that says why, and the way out', () => {
  expect(shown(80)).toEqual([
    '✓ This machine  Node 20.19.0 · linux x64 · python3',
    '    contained by a namespace each · 12 lines of audit · /home/me/.local/state',
    '',
    '✓ dice                       gassist · 1.0.0 · 12 tools · 0.4 s',
    '✓ a-plugin-with-a-long-name  gassist · 1.0.0 · 12 tools · 0.4 s',
    '✗ notes                      /home/me/pluglot.json:9',
    '    exits-at-start',
    '      Plugin "notes" exited with code 1 before it had answered in any dialect.',
    "      | Error: Cannot find module './store.js'",
    '      → Run it by hand, and fix what it reports.',
    '      $ node notes.mjs',
    '',
    '2 of 3 plugins fine · 1 error',
  ]);
});

test.each([40, 60, 80])('nothing is wider than %d columns', (columns) => {
  for (const line of shown(columns)) expect(line.length, line).toBeLessThanOrEqual(columns);
});

function shown(columns: number): string[] {
  const terminal = silentTerminal({ colours: pc.createColors(false), columns } as Terminal);
  return doctorCard(report, terminal, 0);
}
