// `pluglot talk TOOL [ARGS] [-- COMMAND…]`: a conversation with a plugin, and a way out that always works.
import { createInterface } from 'node:readline';
import { PluglotError } from '../../../base/error.ts';
import { callPrinter } from '../call-printer.ts';
import { ExitCode } from '../exit-code.ts';
import { withHost } from '../host/with-host.ts';
import { printableLine } from '../../../base/printable.ts';
import type { Talk } from '../../../fleet/plugin/talk.ts';
import { hear } from '../hear.ts';
import { readArguments } from '../tool-arguments.ts';
import { callOptionsOf, followLogs, type CallOptions } from './call.ts';
import type { CommandContext } from './context.ts';

const WAYS_OUT = new Set(['/exit', '/quit']);

export async function talk(
  context: CommandContext,
  toolName: string,
  words: readonly string[],
  options: CallOptions,
): Promise<ExitCode> {
  const { err } = context;
  const typed = await readArguments(words, () => Promise.reject(stdinIsTaken()));
  return withHost(context, options, async (host) => {
    err.progress(`looking for ${toolName} …`);
    const { name, plugin, tool } = await host.tool(toolName);
    const printer = callPrinter(context, name);
    const logs = followLogs(context, host, plugin, printer.log);
    err.progress(`calling ${name} …`);
    const conversation = host.talk(name, typed(tool.inputSchema), callOptionsOf(context, options));
    try {
      const first = await hear(conversation.opening, printer.event);
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
    err.line(err.colours.dim(`You are talking to ${printableLine(name)}; /exit, Ctrl-D or Ctrl-C ends it.`));
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
      const outcome = await hear(conversation.say(line), printer.event);
      exitCode = printer.end(outcome);
      if (outcome.keepSession !== true) break;
      lines.prompt();
      isAtPrompt = isTyped;
    }
  } finally {
    lines.close();
    // Whoever leaves at the prompt has not ended its line.
    if (isAtPrompt) err.line();
  }
  return signal.aborted ? ExitCode.interrupted : exitCode;
}

function stdinIsTaken(): PluglotError {
  return new PluglotError(
    'INVALID_ARGUMENTS',
    'A conversation reads from stdin what is said. Give the arguments as key=value pairs or as one JSON object.',
  );
}
