// The commands for those who make plugins or look for what is wrong with them: names, arguments, options and examples.
import { InvalidArgumentError } from 'commander';
import type { CommandBuilder } from '../describe-command.ts';
import type { DevOptions } from './dev.ts';
import type { DoctorFlags } from './doctor.ts';
import type { RecordOptions } from '../recording/open-recorder.ts';
import { collect, durationOption } from './option-values.ts';

export function declareDoctor({ describe }: CommandBuilder): void {
  describe<DoctorFlags>({
    name: 'doctor',
    summary: 'what is wrong with plugins and machine, and how to mend it',
    description: 'what is wrong with the plugins that are configured, with this machine, and how to mend it',
    examples: ['pluglot doctor', 'pluglot doctor dice', 'pluglot doctor --strict --json'],
    uses: 'file',
    verbosity: { quiet: 'print the last line alone', verbose: 'show hints too' },
    run: async (context, options, [names]) =>
      (await import('./doctor.ts')).doctor(context, names as string[], options),
  })
    .argument('[names...]', 'plugins; without them all')
    .option('--strict', 'warnings count like errors for the exit code');
}

export function declareDev({ describe }: CommandBuilder): void {
  describe<DevOptions>({
    name: 'dev',
    summary: 'run a plugin while you write it',
    description: 'run a plugin while you write it: started again when its files change, called from a prompt',
    examples: [
      'pluglot dev -- node plugin.mjs',
      'pluglot dev --watch src -- npx tsx src/plugin.ts',
      'pluglot dev -vv -- python3 plugin.py',
    ],
    uses: 'command',
    run: async (context, options) => (await import('./dev.ts')).dev(context, options),
  }).option('--watch <path>', 'a file or folder to watch too; may be given again', collect);
}

export function declareRecording({ describe }: CommandBuilder): void {
  describe<RecordOptions>({
    name: 'record',
    summary: 'write a conversation with a plugin down',
    description: 'write a conversation with a plugin down: any host starts this in its place, or --call',
    examples: [
      'pluglot record dice.jsonl -- node server.mjs',
      'pluglot record dice.jsonl --call roll dice=2d6 -- node server.mjs',
      'pluglot record dice.jsonl dice --call roll dice=2d6',
    ],
    uses: 'own-fleet',
    run: async (context, options, [file, name]) =>
      (await import('./record.ts')).record(context, String(file), name as string | undefined, options),
  })
    .argument('<file>', 'the cassette; it must not be there yet')
    .argument('[name]', 'a plugin that is configured, instead of a command behind --')
    .option('--call <tool and arguments...>', 'make this call and record it, such as --call roll dice=2d6');

  type ReplayFlags = {
    strict?: boolean;
    speed?: number;
    ignore?: readonly string[];
    timeout?: number;
    dialect?: string;
  };
  describe<ReplayFlags>({
    name: 'replay',
    summary: 'be the plugin of a recording, or see what has changed since',
    description: 'be the plugin of a recording, for any host; with a command, what it answers otherwise now',
    examples: [
      'pluglot call roll dice=2d6 -- pluglot replay dice.jsonl',
      'pluglot replay dice.jsonl --strict',
      'pluglot replay dice.jsonl -- node server.mjs',
    ],
    uses: 'command',
    run: async (context, { timeout, ...options }, [file]) =>
      (await import('./replay.ts')).replay(context, String(file), {
        ...options,
        ...(timeout !== undefined && { timeoutMs: timeout }),
      }),
  })
    .argument('<file>', 'a cassette')
    .option('--strict', 'the host has to say what it said then, in that order; else exit with 1')
    .option('--speed <factor>', '1: as it was recorded, 2: twice as fast, 0: at once', speedOption, 0)
    .option('--ignore <key>', 'a key whose values may differ; may be given again', collect)
    .option(
      '--timeout <duration>',
      'how long a command may take for each message, such as 30s',
      durationOption,
    );
}

function speedOption(text: string): number {
  const speed = Number(text);
  if (text.trim() === '' || !(speed >= 0) || speed === Infinity)
    throw new InvalidArgumentError('Write a number: 1 as it was recorded, 0 at once.');
  return speed;
}
