// What in a script keeps it from being understood: nobody can say what it will do without running it.
import type { ArithmeticExpression, Statement, SyntaxNode, TestExpression, Word } from 'unbash';
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
    // Calculations to some, commands to others, and to bash first the one and then the other.
    case 'Subshell':
      return beginsAt(node.body.commands[0], node.pos + 1) ? parentheses : undefined;
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      // In backticks the backslash at the end of a line is taken away before a here-document is read, also before one in quotes.
      if (node.text.startsWith('`') && /<<|\\\n/.test(node.text))
        return 'it has a here-document in backticks';
      return /^[$<>]\(\(/.test(node.text) ? parentheses : undefined;
    // Where bash does not find the end of a calculation, it runs it: commands within it have to be plain for that.
    case 'ArithmeticExpansion':
      return /\$\(|`/.test(node.text) && /["'`\\#\n]|<</.test(node.text) ? parentheses : undefined;
    case 'ArrayValue':
      return node.elements.some((one) => one.text.startsWith('[')) ? arithmetic : undefined;
    // The content of a variable is evaluated there, commands in its subscripts included.
    case 'ArithmeticWord':
      return isArithmeticNumber(node) ? undefined : arithmetic;
    case 'TestUnary':
    case 'TestBinary':
      return testsNumbers(node) ? arithmetic : undefined;
    case 'Word':
      if (unquoted(node).some(hasLookAlike))
        return 'it has a sign outside of quotes that looks like another one';
      return unquoted(node).some(isNoPlainText)
        ? 'it has a word with commands that were not found'
        : undefined;
    // Quotes in an expansion that is itself in quotes quote nothing, or other than elsewhere: what stands between them may run.
    case 'DoubleQuoted':
    case 'LocaleString':
    case 'HereDocBody':
      // There too the backslash is taken away first.
      if (node.type === 'HereDocBody' && node.parts !== undefined && /<<[^]*\\\n/.test(node.text))
        return 'it has a here-document in a here-document';
      return node.parts?.some((part) => part.type === 'ParameterExpansion' && /['"\\]|[<>]\(/.test(part.text))
        ? 'it has quotes in an expansion that is in quotes'
        : undefined;
    case 'Command': {
      const name = node.name?.value ?? '';
      return /^[\x21-\x7E]*$/.test(name) ? undefined : 'the name of a command has an unusual character';
    }
    default:
      return undefined;
  }
}

const parentheses = 'it begins with two parentheses, which may be a calculation or not';

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

/** Whether a list of commands begins with a parenthesis at this place. */
function beginsAt(statement: Statement | undefined, place: number): boolean {
  let node: SyntaxNode | undefined = statement?.command;
  while (node?.type === 'AndOr' || node?.type === 'Pipeline' || node?.type === 'Redirected') {
    node = node.type === 'Redirected' ? node.command : node.commands[0];
  }
  return (node?.type === 'Subshell' || node?.type === 'ArithmeticCommand') && node.pos === place;
}

/** The parser has found nothing in it, and yet there is what a shell acts on: `x=($(rm y))z`. */
function isNoPlainText(text: string): boolean {
  return /[`'"]|\$[({['"]|[<>]\(|^\(/.test(text.replaceAll(/\\[\s\S]/g, ''));
}

function unquoted({ text, parts }: Word): string[] {
  return parts ? parts.flatMap((part) => (part.type === 'Literal' ? [part.text] : [])) : [text];
}
