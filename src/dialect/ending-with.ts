// A sink that hears the same, with another word for the end.
import type { Answer, CallSink } from '../definition/outcome.ts';

export function endingWith(sink: CallSink, end: (answer: Answer) => void): CallSink {
  return {
    event: (event) => sink.event(event),
    ...(sink.drained === undefined ? {} : { drained: () => sink.drained?.() ?? Promise.resolve() }),
    ...(sink.deadline === undefined ? {} : { deadline: sink.deadline }),
    end,
  };
}
