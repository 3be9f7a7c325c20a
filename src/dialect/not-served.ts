// A plugin that cannot be put on the wire in a dialect as it is: its author is told why.
import type { Backend } from '../definition/backend.ts';
import type { AuthorServices, Served } from './author-dialect.ts';

export function notServed(problem: string, backend: Backend, services: AuthorServices): Served {
  services.print(problem);
  return {
    log: () => {},
    over: backend.teardown().then(() => ({ exitCode: 1 })),
    close: () => {},
  };
}
