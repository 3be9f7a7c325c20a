// The built-in plugin "cli" at work for tests, with real processes and a clock set by hand.
import { expect, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { CommandSandbox, Execution } from '../../../src/definition/caller.ts';
import type { Answer, CallEvent } from '../../../src/definition/outcome.ts';
import { spawn } from '../../../src/fleet/supervisor/spawn.ts';
import { readLine } from '../../../src/gate/policy/shell/read-line.ts';
import type { Sandbox } from '../../../src/gate/sandbox/sandbox.ts';
import { cliPlugin } from '../../../src/plugins/cli/cli-plugin.ts';
import { fakeClock, type FakeClock } from '../../../src/testing/fake-clock.ts';
import { around, running, type Started, started } from '../definition/running-definition.ts';
import { noSandbox } from '../gate/policy.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export interface RunningCli {
  readonly folder: string;
  readonly clock: FakeClock;
  /** Calls cli_based_tool for a line that a person has approved. */
  readonly run: (command: string, more?: JsonObject) => Promise<Answer>;
  /** The same, while it is under way. */
  readonly start: (command: string, more?: JsonObject) => Started;
  /** The same, as the words that rules have allowed. */
  readonly runWords: (command: string, sandbox?: CommandSandbox, more?: JsonObject) => Promise<Answer>;
  /** The same, where no gate has decided anything. */
  readonly runUndecided: (command: string, more?: JsonObject) => Promise<Answer>;
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
    sandbox,
    writable = [],
  }: {
    folder?: string;
    env?: Readonly<Record<string, string | undefined>>;
    sandbox?: Sandbox | undefined;
    /** What confined programs can write to beside the folder. */
    writable?: readonly string[];
  } = {},
): Promise<RunningCli> {
  const clock = fakeClock();
  const ports = {
    env,
    cwd: folder,
    spawn,
    now: () => new Date(0),
    sandbox: async () => sandbox ?? noSandbox,
    writableFolders: () => [folder, ...writable],
  };
  const definition = cliPlugin(ports, { clock });
  const { backend } = running(definition);
  await backend.setup?.(config);
  const teardown = () => backend.teardown();
  onTestFinished(teardown);
  const start = (tool: string, args: JsonObject, execution: Execution | undefined = { kind: 'as-written' }) =>
    started((sink) => backend.call({ ...around, tool, args, execution }, sink));
  const call = async (tool: string, args: JsonObject = {}) => (await start(tool, args).ended).answer;
  return {
    folder,
    clock,
    call,
    run: (command, more) => call('cli_based_tool', { command, ...more }),
    runWords: async (command, sandbox, more) =>
      (await start('cli_based_tool', { command, ...more }, wordsOf(command, sandbox)).ended).answer,
    runUndecided: async (command, more) => {
      const args = { command, ...more };
      return (await started((sink) => backend.call({ ...around, tool: 'cli_based_tool', args }, sink)).ended)
        .answer;
    },
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

function wordsOf(command: string, sandbox: CommandSandbox | undefined): Execution {
  const reading = readLine(command);
  if (reading.kind === 'other') throw new Error(`${command} ${reading.reason}`);
  const steps = reading.steps.map(({ after, pipeline }) => ({
    after,
    pipeline: pipeline.map((words) => ({ words, sandbox })),
  }));
  return { kind: 'words', steps };
}
