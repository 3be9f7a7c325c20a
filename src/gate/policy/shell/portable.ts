// Whether every shell reads a script alike: `((rm))` is arithmetic to bash and runs a command elsewhere.
import type { ParsedScript, SyntaxNode } from 'unbash';
import type { Grammar } from './parse.ts';

export function shellFor(grammar: Grammar, tree: ParsedScript): 'sh' | 'bash' {
  let isPortable = true;
  const visit = (node: SyntaxNode): void => {
    isPortable &&= !isBashOnly(node);
    if (isPortable) grammar.forEachChild(node, visit);
  };
  visit(tree);
  return isPortable ? 'sh' : 'bash';
}

function isBashOnly(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'AnsiCQuoted':
    case 'LocaleString':
    case 'BraceExpansion':
    case 'ExtendedGlob':
    case 'ProcessSubstitution':
    case 'HereString':
    case 'ArithmeticCommand':
    case 'ArithmeticFor':
    case 'TestCommand':
    case 'Select':
    case 'Coproc':
    case 'Function':
    case 'Time':
    case 'ArrayValue':
    case 'FileDescriptorVariable':
    case 'Replace':
    case 'Slice':
    case 'CaseModification':
    case 'Transform':
    case 'Names':
    case 'Unknown':
      return true;
    case 'ArithmeticExpansion':
      return node.text.startsWith('$[');
    case 'Redirect':
      return (
        node.operator.startsWith('&') ||
        (node.operator === '>&' && !/^(?:\d+|-)$/.test(node.target?.value ?? ''))
      );
    case 'Pipeline':
      return node.operators.includes('|&');
    case 'CaseItem':
      return node.terminator !== undefined && node.terminator !== ';;';
    case 'Assignment':
      return node.append === true || node.index !== undefined;
    case 'ParameterExpansion':
      return node.index !== undefined || node.prefix === '!';
    case 'Command':
      // Those that a shell of another kind may look for in PATH, or take otherwise.
      return /^(?:source|declare|typeset|local|let|shopt|enable|builtin|mapfile|readarray|pushd|popd|function|\[\[)$/.test(
        node.name?.value ?? '',
      );
    default:
      return false;
  }
}
