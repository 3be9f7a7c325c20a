// What in a script keeps it from being understood: nobody can say what it will do without running it.
import type { ArithmeticExpression, SyntaxNode, TestExpression, Word } from 'unbash';
import { hasLookAlike } from './hidden-characters.ts';

/** The reason, for a node by itself; undefined where it is clear. */
export function unclear(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'Function':
      return `it defines a function, "${node.name.text.slice(0, 40)}": names may mean something else from there on`;
    case 'ExtendedGlob':
      return 'it has an extended pattern, which depends on the settings of the shell';
    case 'Unknown':
    case 'Transform':
      return 'it has an expansion that can run commands';
    case 'Slice':
      return [node.offset, node.length].every(isNumber) ? undefined : arithmetic;
    case 'ParameterExpansion':
      if (node.prefix === '!') return 'it takes the name of a variable from a variable';
      return isNumber(node.index) || /^[@*]$/.test(node.index?.text ?? '') ? undefined : arithmetic;
    case 'Assignment':
      return isNumber(node.index) ? undefined : arithmetic;
    case 'ArrayValue':
      return node.elements.some((one) => one.text.startsWith('[')) ? arithmetic : undefined;
    // The content of a variable is evaluated there, commands in its subscripts included.
    case 'ArithmeticWord':
      return isArithmeticNumber(node) ? undefined : arithmetic;
    case 'TestUnary':
    case 'TestBinary':
      return testsNumbers(node) ? arithmetic : undefined;
    case 'Word':
      return unquoted(node).some(hasLookAlike)
        ? 'it has a sign outside of quotes that looks like another one'
        : undefined;
    case 'Command': {
      const name = node.name?.value ?? '';
      return /^[\x21-\x7E]*$/.test(name) ? undefined : 'the name of a command has an unusual character';
    }
    default:
      return undefined;
  }
}

const arithmetic = 'it calculates with variables, whose content can run commands';

function isNumber(word: Word | undefined): boolean {
  return word === undefined || /^\d+$/.test(word.text);
}

function isArithmeticNumber({
  value,
  parts,
}: Extract<ArithmeticExpression, { type: 'ArithmeticWord' }>): boolean {
  return parts === undefined && /^(?:\d+|0[xX][\da-fA-F]+)$/.test(value);
}

function testsNumbers(node: Extract<TestExpression, { type: 'TestUnary' | 'TestBinary' }>): boolean {
  if (node.type === 'TestUnary') return node.operator === '-v' || node.operator === '-R';
  return /^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator) && !(isNumber(node.left) && isNumber(node.right));
}

function unquoted({ text, parts }: Word): string[] {
  return parts ? parts.flatMap((part) => (part.type === 'Literal' ? [part.text] : [])) : [text];
}
