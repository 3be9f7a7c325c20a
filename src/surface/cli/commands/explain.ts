// `pluglot explain TOOL [ARGS]`: what the rules decide on a call, which of them, and why. No question is asked, and nothing is called.
import { text } from 'node:stream/consumers';
import { printable, printableLine } from '../../../base/printable.ts';
import type { Caller } from '../../../definition/caller.ts';
import type { ExplanationView } from '../../../runtime/api.ts';
import { ExitCode } from '../exit-code.ts';
import { withHost } from '../host/with-host.ts';
import { unlessInterrupted } from '../interruption.ts';
import { readArguments } from '../tool-arguments.ts';
import type { CommandContext } from './context.ts';

export interface ExplainOptions {
  readonly as: Extract<Caller['kind'], 'user' | 'model' | 'client'>;
}

export async function explain(
  context: CommandContext,
  name: string,
  words: readonly string[],
  { as: kind }: ExplainOptions,
): Promise<ExitCode> {
  const { out, err, json, signal, stdin } = context;
  const typed = await readArguments(words, () => unlessInterrupted(signal, text(stdin)));
  return withHost(context, { builtIns: true }, async (host) => {
    err.progress(`looking for ${name} …`);
    // What it takes says which values are texts; a command takes texts alone.
    const schema = await host.tool(name).then(
      ({ tool }) => tool.inputSchema,
      () => undefined,
    );
    const explanation = await host.explain(name, typed(schema), { caller: { kind } });
    if (json) out.line(JSON.stringify(explanation));
    else print(context, explanation);
    return ExitCode.ok;
  });
}

function print({ out }: CommandContext, explanation: ExplanationView): void {
  const { name, kind, plugin, caller, decision, method, reason, rules, fix, difference } = explanation;
  const { bold, cyan, dim, green, red, yellow } = out.colours;
  const paint = { allow: green, deny: red, ask: yellow }[decision];
  const row = (title: string, what: string) =>
    out.line(`  ${dim(title.padEnd(7))} ${printableLine(what, 2000)}`);
  out.line(`${cyan(printableLine(name, 200))}: ${bold(paint(decided[decision]))}`);
  row('what', `${kind} of plugin ${plugin === '' ? '(none)' : plugin}, called by a ${caller.kind}`);
  row('why', reason);
  for (const { rule, file } of rules) row('rule', `${rule}  (${file ?? 'of this session'})`);
  row('method', method);
  if (difference !== undefined) out.line(printable(difference).replaceAll(/^/gm, '    '));
  if (fix !== undefined) row('', fix);
}

const decided: Readonly<Record<ExplanationView['decision'], string>> = {
  allow: 'allowed',
  deny: 'denied',
  ask: 'asked about',
};
