// Characters that a person does not see as what they are. A command line that has one is asked about.

/** What is hidden in a text, to go on a sentence; undefined when nothing is. */
export function hiddenCharacter(text: string): string | undefined {
  const found = hidden.exec(text.replaceAll(emojiJoiners, ''))?.[0];
  if (found === undefined) return undefined;
  const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `has the invisible or unusual character U+${code}`;
}

// Control, format, unassigned, private and surrogate characters, what fonts leave out, and every space but the plain one.
const hidden = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u;

// Inside of an emoji they are seen: as the emoji.
const emojiJoiners =
  /(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?)(?:[\u{FE0E}\u{FE0F}]\u{200D}?|\u{200D})/gu;
