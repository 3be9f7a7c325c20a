// What the user says to a tool that waits for it, as a tool: for dialects that have no words for conversations. Servers of ours offer it, and
// our hosts know it by its facet and hold the conversation with it.
import type { JsonObject } from '../base/json.ts';
import type { Tool } from '../definition/tool.ts';
import type { HostEnd } from './host-dialect.ts';

export type SayTool = Tool & { readonly inputSchema: JsonObject };

/** It is `say`, or `say_2` and so on where the plugin has a tool of that name. */
export function sayToolBeside(tools: readonly Tool[]): SayTool {
  return {
    name: nameBeside(tools),
    description:
      'Passes on what the user says next to the tool that was called last, and gives back its answer. Only for when the answer before said that it waits for that; any other call ends the session.',
    inputSchema: {
      type: 'object',
      properties: { content: { type: 'string', description: 'What the user says, word for word' } },
      required: ['content'],
    },
    facet: 'talk',
  };
}

function nameBeside(tools: readonly Tool[]): string {
  const taken = new Set(tools.map(({ name }) => name));
  let name = 'say';
  for (let number = 2; taken.has(name); number += 1) name = `say_${number}`;
  return name;
}

const HINT =
  /(?:^|\n)\(This waits for what the user says next\. To go on, call "[^"\n]*" with it; any other call ends the session\.\)/;

/** For a model, or a person, that reads the answer of a tool and knows no other sign of it. */
export function howToGoOn(say: string): string {
  return `(This waits for what the user says next. To go on, call "${say}" with it; any other call ends the session.)`;
}

/** The text that such a hint was added to, on a line of its own; undefined where there was no other. */
export function withoutHint(text: string | undefined): string | undefined {
  const without = text?.replace(HINT, '');
  return without === '' ? undefined : without;
}

/** The conversation that a tool of the plugin stands for. */
export function talkBy(tools: readonly Tool[], call: HostEnd['call']): Pick<HostEnd, 'talk'> {
  const say = tools.find(({ facet }) => facet === 'talk');
  if (say === undefined) return {};
  return {
    talk: {
      input: (content, sink, timeoutMs = Infinity) =>
        call({ tool: say.name, args: { content }, timeoutMs }, sink),
    },
  };
}
