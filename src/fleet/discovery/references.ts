// `${NAME}` in settings: what stands for something of the host's environment.
import { valueOfVariable, variableIn, type Referred } from '../supervisor/references.ts';
import { replaceReferencesIn } from '../../base/replace-references.ts';
import type { Environment } from './home-folders.ts';

export interface Expanded {
  readonly text: string;
  /** Variables that are not set and have no default; they are left as they were. */
  readonly missing: readonly string[];
  /** What was put in. */
  readonly referred: readonly Referred[];
}

/**
 * Replaces `${NAME}`, `${env:NAME}` and `${NAME:-default}`, once: what is put in is not looked at again.
 * `env-only` leaves those without `env:`, since a script may use them for itself.
 */
export function expandReferences(
  text: string,
  variables: Environment,
  forms: 'all' | 'env-only' = 'all',
): Expanded {
  const missing: string[] = [];
  const referred: Referred[] = [];
  const references = forms === 'all' ? /\$\{([^}]*)\}/g : /\$\{(env:[^}]*)\}/g;
  const expanded = replaceReferencesIn(text, references, (whole, inner = '') => {
    const variable = variableIn(inner);
    if (variable === undefined) return whole;
    const value = valueOfVariable(variable, variables);
    if (value === undefined) missing.push(variable.name);
    else referred.push({ name: variable.name, value });
    return value ?? whole;
  });
  return { text: expanded, missing, referred };
}
