// What a user calls without the model.
import { isJsonObject, textsIn } from '../../base/json.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Backend } from '../backend.ts';
import type { CommandDefinition } from '../definition.ts';
import { fail } from '../failure.ts';
import type { RunJob } from './job.ts';

export function commandsOf(
  plugin: string,
  commands: readonly CommandDefinition[],
  run: RunJob,
): NonNullable<Backend['commands']> {
  const byName = new Map(commands.map((command) => [command.name, command]));
  return {
    run: (request, sink) => {
      const what = `Command "${request.tool}" of plugin "${plugin}"`;
      const command = byName.get(request.tool);
      return run(
        {
          what,
          around: request,
          timeoutMs: command?.timeoutMs,
          start: (context) => {
            if (command === undefined) return unknown(plugin, request.tool, byName.keys());
            const args = isJsonObject(request.args) ? request.args : {};
            const missing = command.parameters.find(
              ({ name, required }) => required && !Object.hasOwn(args, name),
            );
            if (missing)
              fail({ code: 'INVALID_ARGUMENTS', message: `${what} needs the parameter "${missing.name}".` });
            return command.handler(args, context);
          },
        },
        sink,
      );
    },
    complete: async (name, parameter, typed) => {
      try {
        return textsIn(await byName.get(name)?.complete?.(parameter, typed));
      } catch {
        // Nobody can do anything about it while somebody types.
        return [];
      }
    },
  };
}

function unknown(plugin: string, name: string, names: Iterable<string>): never {
  return fail({
    code: 'UNKNOWN_TOOL',
    message: `Plugin "${plugin}" has no command "${name}".${didYouMean(name, names)}`,
  });
}
