// Handlers are functions, async functions or generators: all come to one returned value, and what a generator yields is streamed.
import { textOf } from '../../base/shown.ts';
import type { HandlerContext } from '../definition.ts';
import type { Work } from './work.ts';

export async function drive(started: unknown, context: HandlerContext, work: Work): Promise<unknown> {
  const value = await started;
  return isGenerator(value) ? driveGenerator(value, context, work) : value;
}

async function driveGenerator(generator: Generated, context: HandlerContext, work: Work): Promise<unknown> {
  for (;;) {
    const step: IteratorResult<unknown, unknown> = await generator.next();
    if (step.done === true) return step.value;
    if (work.isOver) break;
    context.stream(textOf(step.value));
    await context.drained();
  }
  // So that what the author wrote in `finally` is done. Whatever comes of it is nobody's.
  await generator.return?.(undefined);
  return undefined;
}

type Generated = AsyncIterator<unknown> | Iterator<unknown>;

/** An array or a Set can be iterated too, but is a value. */
function isGenerator(value: unknown): value is Generated {
  return (
    typeof value === 'object' &&
    value !== null &&
    'next' in value &&
    typeof value.next === 'function' &&
    (Symbol.asyncIterator in value || Symbol.iterator in value)
  );
}
