// The built-in plugin "cli" at work for tests, with real processes and a clock set by hand.
import { expect, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { Answer, CallEvent } from '../../src/definition/outcome.ts';
import { spawn } from '../../src/fleet/supervisor/spawn.ts';
import { cliPlugin } from '../../src/plugins/cli/cli-plugin.ts';
import { fakeClock, type FakeClock } from '../../src/testing/fake-clock.ts';
import { around, running, type Started, started } from './running-definition.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface RunningCli {
  readonly folder: string;
  readonly clock: FakeClock;
  /** Calls cli_based_tool. */
  readonly run: (command: string, more?: JsonObject) => Promise<Answer>;
  /** The same, while it is under way. */
  readonly start: (command: string, more?: JsonObject) => Started;
  readonly call: (tool: string, args?: JsonObject) => Promise<Answer>;
  /** Resolves when it has printed the text. */
  readonly said: (started: Started, text: string) => Promise<void>;
  readonly teardown: () => Promise<void>;
}

export async function runningCli(
  config: JsonObject = {},
  {
    folder = temporaryFolder(),
    env = { PATH: process.env['PATH'] },
  }: { folder?: string; env?: Readonly<Record<string, string | undefined>> } = {},
): Promise<RunningCli> {
  const clock = fakeClock();
  const definition = cliPlugin({ env, cwd: folder, spawn, now: () => new Date(0) }, { clock });
  const { backend } = running(definition);
  await backend.setup?.(config);
  const teardown = () => backend.teardown();
  onTestFinished(teardown);
  const start = (tool: string, args: JsonObject) =>
    started((sink) => backend.call({ ...around, tool, args }, sink));
  const call = async (tool: string, args: JsonObject = {}) => (await start(tool, args).ended).answer;
  return {
    folder,
    clock,
    call,
    run: (command, more) => call('cli_based_tool', { command, ...more }),
    start: (command, more) => start('cli_based_tool', { command, ...more }),
    async said({ events, ended }, text) {
      let isOver = false;
      void ended.then(() => (isOver = true));
      await expect.poll(() => isOver || textIn(events).includes(text), { interval: 5 }).toBe(true);
    },
    teardown,
  };
}

function textIn(events: readonly CallEvent[]): string {
  return events
    .map((event) => (event.kind === 'text' ? event.text : event.kind === 'log' ? event.message : ''))
    .join('');
}
