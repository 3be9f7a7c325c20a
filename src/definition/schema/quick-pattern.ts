// Whether a regular expression from a stranger can be run without a time limit.

/**
 * Whether it surely takes no longer than its input is long, or little more: anchored or not, it repeats at most one
 * single character or class without a bound, refers back to nothing, and leaves out or chooses between few things.
 */
export function isQuickPattern(pattern: string): boolean {
  if (pattern.length > 1000) return false;
  // Classes and escapes are one character each, whatever is in them.
  const plain = pattern.replaceAll(/\\[kK1-9]/g, '\uFFFF').replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/gs, 'x');
  if (plain.includes('\uFFFF') || /\)[*+?{]/.test(plain) || plain.includes('(?')) return false;
  const unbounded = plain.match(/[*+{]/g)?.length ?? 0;
  // Each of them may double the ways to try.
  const choices = plain.match(/[?|]/g)?.length ?? 0;
  const anchored = plain.startsWith('^') && !plain.includes('|');
  return choices <= 8 && unbounded <= (anchored ? 1 : 0);
}
