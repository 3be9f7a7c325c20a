// The shell's grammar, from a parser that is loaded when the first command needs it. What it does not fully understand is an error.
import type { ParsedScript, SyntaxNode } from 'unbash';

export interface Grammar {
  parse(script: string): ParsedScript;
  forEachChild(node: SyntaxNode, callback: (child: SyntaxNode) => void): void;
}

export function loadGrammar(): Promise<Grammar> {
  return import('unbash');
}

/** Longer ones are nobody's command line. */
export const SCRIPT_LIMIT = 64 * 1024;

/** No command nests this deep by itself, and our own walk has to end on its stack. */
const DEPTH_LIMIT = 100;

/** The parser takes quadratic time for some things when they come in thousands. */
const repeated: readonly (readonly [piece: string, limit: number, name: string])[] = [
  ['{', 1000, 'braces'],
  ['<<', 100, 'here-documents'],
  ['$[', 20, 'old calculations'],
];

/** Undefined with the reason, where there is anything that is not understood. */
export function parseScript(
  grammar: Grammar,
  script: string,
): { readonly tree: ParsedScript } | { readonly reason: string } {
  if (script.length > SCRIPT_LIMIT) return { reason: `it is longer than ${SCRIPT_LIMIT} characters` };
  for (const [piece, limit, name] of repeated) {
    if (script.split(piece).length > limit) return { reason: `it has more than ${limit} ${name}` };
  }
  // A shell reads on as if the line had not ended; a parser may not.
  if (/[$<>]\\\n/.test(script)) return { reason: 'it has a line that ends within an expansion' };
  try {
    const tree = grammar.parse(script);
    const reason = wrongIn(grammar, tree, 0);
    return reason === undefined ? { tree } : { reason };
  } catch (error) {
    // A stack that is used up by nesting comes here too.
    return { reason: `it cannot be parsed (${error instanceof Error ? error.message : String(error)})` };
  }
}

/** Nested scripts have their own errors, which the outermost does not repeat. */
function wrongIn(grammar: Grammar, node: SyntaxNode, depth: number): string | undefined {
  if (depth > DEPTH_LIMIT) return 'it is nested too deeply';
  if (node.type === 'Script' && node.errors && node.errors.length > 0) {
    return `it is no complete shell command (${node.errors[0]?.message ?? 'unknown'})`;
  }
  let wrong: string | undefined;
  grammar.forEachChild(node, (child) => {
    wrong ??= wrongIn(grammar, child, depth + 1);
  });
  return wrong;
}
