// `pluglot dev`: a plugin that is being written, started again when its files change, called from here and from elsewhere.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { cli, startCli } from '../support/surface/command-line.ts';
import { newRun, survivors } from '../support/fleet/process-table.ts';
import { root } from '../support/project.ts';
import { onScreen } from '../support/surface/screen.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const dice = fs.readFileSync(path.join(root, 'examples/mcp-dice/server.mjs'), 'utf8');

function project(): { folder: string; file: string; run: string } {
  const folder = temporaryFolder({ 'project/server.mjs': dice });
  return { folder, file: path.join(folder, 'project/server.mjs'), run: newRun() };
}

test('it is started again on every change, tells what is different, and waits after a broken one', async () => {
  const { folder, file, run } = project();
  const cwd = path.dirname(file);
  const dev = startCli(['dev', '--dialect', 'mcp', '--', 'node', 'server.mjs', run], { home: folder, cwd });
  await dev.until('stdout', /✓ dice 1\.0\.0 speaks mcp · 1 tool\n {2}roll\n/);

  const called = await cli(['call', 'roll', 'dice=1d1'], { home: folder, cwd });
  expect(called.stdout).toBe('1 → 1\n');

  fs.writeFileSync(file, dice.replace('Roll dice', 'Roll many dice'));
  await dev.until('stdout', /~ roll\n[^~]*\+ {2}"title": "Roll many dice"/);
  expect(dev.stderr).toContain('↻ server.mjs changed');

  fs.writeFileSync(file, `${dice}\n}}}`);
  await dev.until('stderr', /SyntaxError[\s\S]*It is started again when its files change\./);
  const broken = await cli(['call', 'roll', 'dice=1d1'], { home: folder, cwd });
  expect(broken.exitCode).not.toBe(0);

  fs.writeFileSync(file, dice.replace("'roll'", "'throw_dice'").replace('"roll"', '"throw_dice"'));
  await dev.until('stdout', /\+ throw_dice\n {2}- roll\n/);

  dev.child.kill('SIGINT');
  expect(await dev.ended).toBe(130);
  expect(survivors(run)).toEqual([]);
});

test('what the plugin writes beside its code does not start it again; --json tells programs', async () => {
  const { folder, file, run } = project();
  const cwd = path.dirname(file);
  const dev = startCli(['dev', '--json', '--dialect', 'mcp', '--', 'node', 'server.mjs', run], {
    home: folder,
    cwd,
  });
  await dev.until('stdout', /"event":"started"/);
  fs.writeFileSync(path.join(cwd, 'notes.md'), 'written');
  fs.mkdirSync(path.join(cwd, 'node_modules'));
  fs.writeFileSync(path.join(cwd, 'node_modules/x.js'), 'fetched');
  fs.writeFileSync(path.join(cwd, 'helper.mjs'), 'new');
  await dev.until('stdout', /"event":"changed"[\s\S]*"event":"started"/);
  const events = dev.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; files?: string[] });
  expect(events.map(({ event }) => event)).toEqual(['started', 'changed', 'started']);
  expect(events[1]?.files?.map((each) => path.basename(each))).toEqual(['helper.mjs']);
  dev.child.kill('SIGTERM');
  await dev.ended;
  expect(survivors(run)).toEqual([]);
});

test('at a terminal it is called from a prompt, Enter calls the same again, and Ctrl-D leaves', async () => {
  const { file, run } = project();
  const screen = onScreen(['dev', '--dialect', 'mcp', '--', 'node', file, run]);
  await screen.until(/Type TOOL key=value[^\n]*\n> $/);
  screen.type('roll dice=1d1\r');
  await screen.until(/1 → 1\n> $/);
  fs.writeFileSync(file, dice.replace('Roll dice', 'Roll many dice'));
  await screen.until(/Roll many dice[\s\S]*> $/);
  screen.type('\r');
  await screen.until(/> roll dice=1d1\n1 → 1\n> $/);
  screen.type('nonsense x=1\r');
  await screen.until(/UNKNOWN_TOOL\)\n> $/);
  screen.type('\u0004');
  expect(await screen.ended).toBe(0);
  expect(survivors(run)).toEqual([]);
});

test('where it is not known what to watch, it says so', async () => {
  const { folder } = project();
  const { stderr, exitCode } = await cli(['dev', '--', 'npx', 'some-server'], { home: folder });
  expect(stderr).toContain('--watch src');
  expect(exitCode).toBe(2);
  const nothing = await cli(['dev'], { home: folder });
  expect(nothing.stderr).toContain('behind --');
  expect(nothing.exitCode).toBe(2);
});
