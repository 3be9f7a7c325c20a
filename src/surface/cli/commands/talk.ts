// `pluglot talk TOOL [ARGS] [-- COMMAND…]`: a conversation with a plugin, and a way out that always works.
import { createInterface } from 'node:readline';
import { callPrinter, followCall } from '../call-printer.ts';
import { defineCommand } from '../command.ts';
import { ExitCode } from '../exit-code.ts';
import { withRuntime } from '../open-runtime.ts';
import { hint } from '../terminal.ts';
import { printableLine } from '../../../base/printable.ts';
import type { Talk } from '../../../fleet/plugin/talk.ts';
import { argumentsOf, readArguments } from '../../../runtime/typed-arguments.ts';
import { callOptionsOf, followLogs, withCallOptions, withToolArguments, type CallFlags } from './call.ts';
import { type CommandContext, usageError } from '../context.ts';

const WAYS_OUT = new Set(['/exit', '/quit']);

export const commands = {
  talk: defineCommand<CallFlags, [tool: string, words: string[]]>({
    description: 'Call a tool and talk with its plugin until either ends the session',
    examples: ['pluglot talk interview', 'pluglot talk interview -- node plugin.mjs'],
    uses: 'plugin',
    declare: (command) => withCallOptions(withToolArguments(command)),
    run: talk,
  }),
};

async function talk(
  context: CommandContext,
  flags: CallFlags,
  toolName: string,
  words: readonly string[],
): Promise<ExitCode> {
  const { err } = context;
  const typed = await readArguments(words, () => Promise.reject(stdinIsTaken()));
  return withRuntime(context, flags, async (host) => {
    err.progress(`looking for ${toolName} …`);
    const { name, plugin, tool } = await host.tool(toolName);
    const printer = callPrinter(context, name);
    const logs = followLogs(context, host, plugin, printer.log);
    err.progress(`calling ${name} …`);
    const conversation = host.talk(name, argumentsOf(typed, tool.inputSchema), callOptionsOf(context, flags));
    try {
      const first = await followCall(conversation.opening, printer.event);
      const exitCode = printer.end(first);
      if (!first.ok || first.keepSession !== true) return exitCode;
      return await converse(context, name, conversation);
    } finally {
      conversation.end();
      await conversation.ended;
      await logs.end();
    }
  });
}

async function converse(context: CommandContext, name: string, conversation: Talk): Promise<ExitCode> {
  const { err, json, signal, stdin } = context;
  const isTyped = err.live && stdin.isTTY;
  if (isTyped && !json)
    hint(err, `You are talking to ${printableLine(name)}; /exit, Ctrl-D or Ctrl-C ends it.`);
  const lines = createInterface({
    input: stdin,
    output: isTyped ? context.stderr : undefined,
    terminal: isTyped,
    prompt: err.colours.cyan('> '),
    signal,
  });
  // On a terminal readline takes Ctrl-C; it means the same as everywhere.
  lines.on('SIGINT', () => process.emit('SIGINT'));
  let exitCode: ExitCode = ExitCode.ok;
  let isAtPrompt = isTyped;
  try {
    lines.prompt();
    for await (const line of lines) {
      isAtPrompt = false;
      if (signal.aborted || WAYS_OUT.has(line.trim())) break;
      const printer = callPrinter(context, name);
      const outcome = await followCall(conversation.say(line), printer.event);
      exitCode = printer.end(outcome);
      if (outcome.keepSession !== true) break;
      lines.prompt();
      isAtPrompt = isTyped;
    }
  } finally {
    lines.close();
    // At the prompt the line is not ended.
    if (isAtPrompt) err.line();
  }
  return signal.aborted ? ExitCode.interrupted : exitCode;
}

function stdinIsTaken(): Error {
  return usageError(
    'A conversation reads its input from stdin. Give the arguments as key=value pairs or as one JSON object.',
  );
}
