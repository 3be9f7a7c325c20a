import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { definePlugin } from '../definition/define-plugin.ts';
import { fail } from '../definition/failure.ts';
import { callTool } from './call-tool.ts';

const kept: string[] = [];
const plugin = definePlugin({
  name: 'notes',
  version: '1.0.0',
  config: { type: 'object', properties: { prefix: { type: 'string' } } },
  setup: ({ dataFolder }) => void kept.push(dataFolder),
  tools: {
    add: {
      input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      handler({ text }, { stream, log, dataFolder, config }) {
        if (text === '') fail({ message: 'It is empty.', suggestions: ['Write something.'] });
        log('info', 'writing');
        stream('… ');
        fs.writeFileSync(path.join(dataFolder, 'note'), text);
        return `${config['prefix'] ?? ''}${text}`;
      },
    },
  },
});

test('a call is made as a host makes it, and nothing of it is left', async () => {
  const call = await callTool(plugin, 'add', { text: 'milk' }, { config: { prefix: '- ' } });
  expect(call).toEqual({
    ok: true,
    text: '… - milk',
    events: [
      { kind: 'log', level: 'info', message: 'writing' },
      { kind: 'text', text: '… ' },
    ],
  });
  expect(kept.filter((folder) => fs.existsSync(folder))).toEqual([]);
});

test('failures are answers: of the tool, and of its arguments', async () => {
  expect(await callTool(plugin, 'add', { text: '' })).toMatchObject({
    ok: false,
    error: { code: 'TOOL_FAILED', message: 'It is empty.', suggestions: ['Write something.'] },
  });
  expect(await callTool(plugin, 'add')).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENTS' } });
  expect(await callTool(plugin, 'ad')).toMatchObject({
    error: { code: 'UNKNOWN_TOOL', suggestions: ['Did you mean "add"?'] },
  });
});

test('a configuration that does not fit is refused', async () => {
  await expect(callTool(plugin, 'add', { text: 'x' }, { config: { prefix: 5 } })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENTS',
  });
});
