// Words typed into a search field, against names and descriptions.

/** How well it fits: all words have to occur; a name counts more than a description, and its beginning most. Undefined: not at all. */
export function fitOf(query: string, name: string, description = ''): number | undefined {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const inName = name.toLowerCase();
  const inDescription = description.toLowerCase();
  let score = 0;
  for (const word of words) {
    const at = inName.indexOf(word);
    if (at === 0) score += 4;
    else if (at > 0) score += 3;
    else if (inDescription.includes(word)) score += 1;
    else return undefined;
  }
  return score;
}

/** Those that fit, the best first; in their own order where they fit alike. */
export function found<Item>(
  items: readonly Item[],
  query: string,
  words: (item: Item) => { name: string; description?: string | undefined },
): Item[] {
  return items
    .flatMap((item, index) => {
      const { name, description } = words(item);
      const fit = fitOf(query, name, description);
      return fit === undefined ? [] : [{ item, fit, index }];
    })
    .sort((one, other) => other.fit - one.fit || one.index - other.index)
    .map(({ item }) => item);
}
