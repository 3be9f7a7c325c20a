// Conversations with a tool, for dialects that have no messages for them: an added tool `say` takes what the user says next.
// Author ends of pluglot offer it; hosts of pluglot recognise it by its facet and hold the conversation with it.
import type { Answer, CallFailure, CallSink } from '../definition/outcome.ts';
import type { Tool } from '../definition/tool.ts';
import type { WirePort } from './host-dialect.ts';
import { schemaOf, shape } from './shape.ts';

export const sayArguments = shape<{ readonly content: string }>({
  content: { type: 'text', required: true, description: 'The exact words of the user' },
});

const saySchema = schemaOf(sayArguments);

/** Named `say`, or `say_2` and so on where the plugin has a tool of that name. */
export function sayToolBeside(tools: readonly Tool[]): Tool {
  return {
    name: nameBeside(tools),
    description:
      "Pass the user's next input to the tool that was called last, and return its answer. Call it only when the previous answer asks for it; any other call ends the session.",
    inputSchema: saySchema,
    facet: 'talk',
  };
}

function nameBeside(tools: readonly Tool[]): string {
  let name = 'say';
  for (let number = 2; tools.some((tool) => tool.name === name); number += 1) name = `say_${number}`;
  return name;
}

const HINT =
  /(?:^|\n)\(This waits for what the user says next\. To go on, call "[^"\n]*" with it; any other call ends the session\.\)/;

/** For a model or person that reads the answer and has no other way to know that the session is kept. */
export function howToGoOn(say: string): string {
  return `(This waits for what the user says next. To go on, call "${say}" with it; any other call ends the session.)`;
}

/** The text without such a hint; undefined where nothing else is left. */
export function withoutHint(text: string | undefined): string | undefined {
  const without = text?.replace(HINT, '');
  return without === '' ? undefined : without;
}

/** The conversation behind the `say` tool of a plugin, if it has one. */
export function talkBy(tools: readonly Tool[], call: WirePort['call']): Pick<WirePort, 'talk'> {
  const say = tools.find(({ facet }) => facet === 'talk');
  if (say === undefined) return {};
  return {
    talk: {
      input: (content, sink, { timeoutMs = Infinity } = {}) =>
        call({ tool: say.name, args: { content }, timeoutMs }, sink),
    },
  };
}

/** The session of an author end. There is one at a time, kept by the call that began last; any other request ends it. */
export class KeptSession {
  /** Counts requests: the session belongs to the last one. */
  #turn = 0;
  #state: 'none' | 'kept' | 'answering' = 'none';

  /** Ends the session. Calls under way go on, but can no longer keep it. */
  leave(): void {
    this.#turn += 1;
    this.#state = 'none';
  }

  /** The sink for a call that may keep the session. */
  begin(sink: CallSink): CallSink {
    this.leave();
    return this.#follow(sink, () => false);
  }

  /** The sink for what the user says, or why it cannot be said. */
  say(sink: CallSink): CallSink | CallFailure {
    switch (this.#state) {
      case 'none':
        return {
          code: 'NOT_TALKING',
          message: 'No tool waits for what the user says: call one first that does.',
        };
      case 'answering':
        return {
          code: 'RATE_LIMITED',
          message: 'The previous input is still being answered: await that answer first.',
        };
      case 'kept':
        this.#turn += 1;
        this.#state = 'answering';
        // A cancelled input does not end the session.
        return this.#follow(sink, (answer) => !answer.ok && answer.error.code === 'CALL_CANCELLED');
    }
  }

  #follow(sink: CallSink, keepsAnyway: (answer: Answer) => boolean): CallSink {
    const turn = this.#turn;
    return endingWith(sink, (answer) => {
      if (turn !== this.#turn) return sink.end(leftBehind(answer));
      this.#state = answer.keepSession === true || keepsAnyway(answer) ? 'kept' : 'none';
      sink.end(answer);
    });
  }
}

/** The answer to a call that another one overtook: its session is over. */
export function leftBehind(answer: Answer): Answer {
  if (answer.keepSession !== true) return answer;
  const { keepSession: _, ...rest } = answer;
  return rest;
}

/** The same sink with another `end`. */
export function endingWith(sink: CallSink, end: (answer: Answer) => void): CallSink {
  return {
    event: (event) => sink.event(event),
    ...(sink.drained === undefined ? {} : { drained: () => sink.drained?.() ?? Promise.resolve() }),
    ...(sink.deadline === undefined ? {} : { deadline: sink.deadline }),
    end,
  };
}
