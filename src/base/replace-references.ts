// `${…}` in texts of others, in linear time.

/** As `replaceAll`, for expressions that end with a brace. Behind the last brace none can match, and each look there would go to the end. */
export function replaceReferencesIn(
  text: string,
  expression: RegExp,
  replace: (whole: string, ...groups: string[]) => string,
): string {
  const end = text.lastIndexOf('}') + 1;
  return text.slice(0, end).replaceAll(expression, replace) + text.slice(end);
}
