import { expect, test } from 'vitest';
import { running } from '../../../test/support/definition/running-definition.ts';
import { definePlugin } from '../define-plugin.ts';
import type { SetupContext } from '../definition.ts';

const about = { name: 'sample', version: '1.0.0' };
const config = { type: 'object', properties: { tone: { type: 'string', default: 'kind' } } } as const;

test('a fixed text is told from the beginning, and setup changes nothing', async () => {
  const { backend } = running(definePlugin({ ...about, instructions: 'Be brief.' }));
  let changes = 0;
  backend.onManifestChanged(() => (changes += 1));
  expect(backend.manifest.instructions).toBe('Be brief.');
  await backend.setup({});
  expect([backend.manifest.instructions, changes]).toEqual(['Be brief.', 0]);
});

test('a function is asked after each setup, with what was checked, and those who listen hear of what is new', async () => {
  const { backend } = running(definePlugin({ ...about, config, instructions: ({ tone }) => `Be ${tone}.` }));
  const heard: unknown[] = [];
  const end = backend.onManifestChanged(() => heard.push(backend.manifest.instructions));
  expect(backend.manifest).not.toHaveProperty('instructions');
  await backend.setup({});
  await backend.setup({ tone: 'stern' });
  await backend.setup({ tone: 'stern' });
  expect(heard).toEqual(['Be kind.', 'Be stern.']);
  end();
  await backend.setup({});
  expect([heard.length, backend.manifest.instructions]).toEqual([2, 'Be kind.']);
});

test('the plugin says itself when they are others', async () => {
  const told: { text?: string } = {};
  let context: SetupContext<{ readonly tone: string }> | undefined;
  const { backend } = running(
    definePlugin({ ...about, config, instructions: () => told.text, setup: (given) => (context = given) }),
  );
  await backend.setup({});
  expect(backend.manifest).not.toHaveProperty('instructions');
  told.text = 'Now there are some.';
  context?.instructionsChanged();
  expect(backend.manifest.instructions).toBe('Now there are some.');
});

test('one that throws fails the setup, one that gives no text tells nothing', async () => {
  const thrower = definePlugin({
    ...about,
    instructions: () => {
      throw new Error('no words');
    },
  });
  await expect(running(thrower).backend.setup({})).rejects.toThrow('could not be set up: no words');
  // As authors who write JavaScript may.
  const wrong = definePlugin({ ...about, instructions: (() => 17) as unknown as () => string });
  const { backend } = running(wrong);
  await backend.setup({});
  expect(backend.manifest).not.toHaveProperty('instructions');
});
