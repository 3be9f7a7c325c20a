// Sessions and failures that go through two commands: into another dialect and back, each end a process of its own.
import { describe, expect, test } from 'vitest';
import { dialectNames } from '../../src/definition/plugin-spec.ts';
import { cli } from '../support/surface/command-line.ts';
import { callAndHear, hear } from '../support/dialect/dialect-host.ts';
import { connectTo, errorOf, serveAgainWords, servePair, serveWords } from './served-pair.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const wordless = dialectNames.filter((name) => name !== 'gassist');

describe('a session of a G-Assist plugin', () => {
  test.each(wordless)('goes on as %s, and back in G-Assist', async (between) => {
    const words = serveAgainWords(serveWords('gassist', between), { source: between, target: 'gassist' });
    const { end } = await connectTo(words, 'gassist');
    const { talk } = end;
    if (talk === undefined) throw new Error('It does not talk.');
    const call = (tool: string, args = {}) => callAndHear(end, { tool, args }).answer;
    const say = (content: string) => hear((sink) => talk.input(content, sink)).answer;

    expect(await call('chat')).toEqual({ ok: true, text: 'Go on.', keepSession: true });
    expect(await say('one')).toEqual({ ok: true, text: 'You said one.', keepSession: true });
    expect(await say('two')).toEqual({ ok: true, text: 'You said two.', keepSession: true });
    expect(await say('bye')).toEqual({ ok: true, text: 'You said bye.', keepSession: false });
    expect(errorOf(await say('again'))).toMatchObject({ code: 'NOT_TALKING' });

    await call('chat');
    expect(await call('greet', { name: 'Ada' })).toMatchObject({ ok: true, text: 'Hello, Ada!' });
    expect(errorOf(await say('anybody?'))).toMatchObject({ code: 'NOT_TALKING' });
  });

  test.each(wordless)('is over as %s when the plugin crashes, and can be begun anew', async (target) => {
    const { end } = await servePair('gassist', target);
    const { talk } = end;
    if (talk === undefined) throw new Error('It does not talk.');
    await callAndHear(end, { tool: 'chat' }).answer;
    const say = (content: string) => hear((sink) => talk.input(content, sink)).answer;
    expect(errorOf(await say('crash'))?.message).toContain('exited with code 7');
    expect(errorOf(await say('still there?'))).toMatchObject({ code: 'NOT_TALKING' });
    expect(await callAndHear(end, { tool: 'chat' }).answer).toMatchObject({ keepSession: true });
    expect(await say('bye')).toMatchObject({ ok: true, text: 'You said bye.' });
  });

  test.each(wordless)('is held by pluglot talk as %s', async (target) => {
    const command = ['--dialect', target, '--', process.execPath, ...serveWords('gassist', target)];
    const { stdout, exitCode } = await cli(['talk', 'chat', '--json', ...command], {
      home: temporaryFolder(),
      input: 'one\nbye\n',
    });
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(answers).toMatchObject([
      { text: 'Go on.', keepSession: true },
      { text: 'You said one.', keepSession: true },
      { text: 'You said bye.' },
    ]);
    expect(exitCode).toBe(0);
  });
});

describe('what a YAMS plugin says of its failure', () => {
  const others = dialectNames.filter((name) => name !== 'yams');
  test.each(others)('comes back from %s', async (between) => {
    const words = serveAgainWords(serveWords('yams', between), { source: between, target: 'yams' });
    const { end } = await connectTo(words, 'yams');
    expect(errorOf(await callAndHear(end, { tool: 'fail' }).answer)).toMatchObject({
      code: 'TOOL_FAILED',
      message: 'No more today.',
      reason: 'OutOfGreetings',
      details: 'There were ten of them.',
      recoverable: true,
    });
  });
});
