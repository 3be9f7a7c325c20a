// What a plugin can be asked for beside tools, apart from its plugin: each with the types of its functions.
import type { ExecutorDefinition, ExtractorDefinition, PlannerDefinition } from './definition.ts';

/** What an author says of an extractor; at least one format or extension, or `supports`. */
export type ExtractorOptions = Omit<ExtractorDefinition, 'formats' | 'extensions'> &
  Partial<Pick<ExtractorDefinition, 'formats' | 'extensions'>>;

/** Takes files apart: text, and what else there is to know of them. */
export function extractor(options: ExtractorOptions): ExtractorDefinition {
  return {
    ...options,
    formats: options.formats ?? [],
    extensions: (options.extensions ?? []).map((name) => (name.startsWith('.') ? name : `.${name}`)),
  };
}

/** Makes plans out of what a user wants. */
export function planner(options: PlannerDefinition): PlannerDefinition {
  return options;
}

/** Does the tasks of plans, and checks code. */
export function executor(options: ExecutorDefinition): ExecutorDefinition {
  return options;
}
