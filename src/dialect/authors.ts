// The author ends by name. Each is loaded when a host needs it.
import type { DialectName } from '../definition/plugin-spec.ts';
import type { AuthorDialect } from './author-dialect.ts';

export const authorDialects: Readonly<Partial<Record<DialectName, () => Promise<AuthorDialect>>>> = {
  mcp: async () => (await import('./mcp/author.ts')).mcpAuthor,
  gevals: async () => (await import('./gevals/author.ts')).gevalsAuthor,
  gassist: async () => (await import('./gassist/author.ts')).gassistAuthor,
  yams: async () => (await import('./yams/author.ts')).yamsAuthor,
  planner: async () => (await import('./planner/author.ts')).plannerAuthor,
};
