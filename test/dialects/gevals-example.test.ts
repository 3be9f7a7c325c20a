// examples/gevals-workspace does what it says.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { gevals } from '../../src/dialect/gevals/host.ts';
import { callAndHear, hostAndProgram } from '../support/dialect/dialect-host.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const program = '../../examples/gevals-workspace/extension.mjs';

test('a task: files are set up, the work of an agent is verified, all is cleaned up', async () => {
  const workdir = temporaryFolder();
  const { connected, running, told } = hostAndProgram(gevals, program);
  const end = await connected;
  expect(end.manifest.tools.map(({ name }) => name)).toEqual(['write', 'contains', 'said', 'clear']);
  const file = 'notes/todo.md';
  const target = path.join(workdir, file);

  const written = callAndHear(end, {
    tool: 'write',
    args: { file, text: '- buy milk\n' },
    context: { workdir },
  });
  expect(await written.answer).toEqual({
    ok: true,
    text: `Wrote ${file}`,
    outputs: { path: target, bytes: '11' },
  });
  expect(written.events).toEqual([{ kind: 'log', level: 'info', message: `Writing ${target}` }]);

  fs.appendFileSync(target, '- buy bread\n'); // what an agent would do
  const verify = {
    workdir,
    phase: 'verify' as const,
    agent: { prompt: 'Add bread', output: 'I added bread.' },
  };
  const ask = (tool: string, args: Record<string, string>) =>
    callAndHear(end, { tool, args, context: verify }).answer;
  expect(await ask('contains', { file, text: 'bread' })).toMatchObject({ ok: true });
  expect(await ask('contains', { file, text: 'cheese' })).toEqual({
    ok: false,
    error: { code: 'TOOL_FAILED', message: `${file} does not contain "cheese"` },
    outputs: { found: '- buy milk\n- buy bread\n' },
  });
  expect(await ask('contains', { file: 'other' })).toMatchObject({
    ok: false,
    error: { message: 'other is not there' },
  });
  expect(await ask('said', { text: 'added bread' })).toMatchObject({ ok: true });
  expect(await ask('said', { text: 'cheese' })).toMatchObject({ ok: false });
  expect(await ask('write', { file: '../outside' })).toMatchObject({
    ok: false,
    error: { code: 'TOOL_FAILED' },
  });
  expect(await ask('erase', {})).toMatchObject({ ok: false, error: { code: 'UNKNOWN_TOOL' } });

  const cleared = callAndHear(end, {
    tool: 'clear',
    args: { file: 'notes' },
    context: { workdir, phase: 'cleanup' },
  });
  expect(await cleared.answer).toMatchObject({ ok: true });
  expect(fs.readdirSync(workdir)).toEqual([]);

  await end.shutdown(5000);
  expect(await running.exited).toMatchObject({ exitCode: 0, stderr: '' });
  expect(told.troubles).toEqual([]);
});
