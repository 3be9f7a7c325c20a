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
    summary: 'Find problems with plugins and this machine',
    description: 'Find problems with the configured plugins and this machine, and say how to fix them',
    examples: ['pluglot doctor', 'pluglot doctor dice', 'pluglot doctor --strict --json'],
    uses: 'file',
    verbosity: { quiet: 'Print only the last line', verbose: 'Also show hints' },
    run: async (context, options, [names]) =>
      (await import('./doctor.ts')).doctor(context, names as string[], options),
  })
    .argument('[names...]', 'Plugins (default: all)')
    .option('--strict', 'Let warnings fail the command too');
}

export function declareDev({ describe }: CommandBuilder): void {
  describe<DevOptions>({
    name: 'dev',
    summary: 'Run a plugin while you write it',
    description:
      'Run a plugin while you write it: restart it when its files change, and call its tools from a prompt',
    examples: [
      'pluglot dev -- node plugin.mjs',
      'pluglot dev --watch src -- npx tsx src/plugin.ts',
      'pluglot dev -vv -- python3 plugin.py',
    ],
    uses: 'command',
    run: async (context, options) => (await import('./dev.ts')).dev(context, options),
  }).option('--watch <path>', 'File or folder to watch as well; repeatable', collect);
}

export function declareRecording({ describe }: CommandBuilder): void {
  describe<RecordOptions>({
    name: 'record',
    summary: 'Record a conversation with a plugin',
    description:
      'Record a conversation with a plugin: with --call, or with a host that starts this command in its place',
    examples: [
      'pluglot record dice.jsonl -- node server.mjs',
      'pluglot record dice.jsonl --call roll dice=2d6 -- node server.mjs',
      'pluglot record dice.jsonl dice --call roll dice=2d6',
    ],
    uses: 'own-fleet',
    run: async (context, options, [file, name]) =>
      (await import('./record.ts')).record(context, String(file), name as string | undefined, options),
  })
    .argument('<file>', 'Recording to write; it must not exist yet')
    .argument('[name]', 'A configured plugin, instead of a command behind --')
    .option('--call <tool and arguments...>', 'Make and record this call, such as --call roll dice=2d6');

  type ReplayFlags = {
    strict?: boolean;
    speed?: number;
    ignore?: readonly string[];
    timeout?: number;
    dialect?: string;
  };
  describe<ReplayFlags>({
    name: 'replay',
    summary: 'Replay a recording as a plugin, or compare a plugin with it',
    description:
      'Replay a recording as a plugin, for any host; with a command, show what changed in its answers',
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
    .argument('<file>', 'Recording to read')
    .option('--strict', 'Exit with 1 unless the host sends what was recorded, in that order')
    .option('--speed <factor>', '1: recorded speed, 2: twice as fast, 0: no delays', speedOption, 0)
    .option('--ignore <key>', 'Key whose values may differ; repeatable', collect)
    .option('--timeout <duration>', 'Time limit for each message, such as 30s', durationOption);
}

function speedOption(text: string): number {
  const speed = Number(text);
  if (text.trim() === '' || !(speed >= 0) || speed === Infinity)
    throw new InvalidArgumentError('Write a number: 1 as it was recorded, 0 at once.');
  return speed;
}
