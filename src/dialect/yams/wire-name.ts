// The name of a plugin on the wire, where it has letters, digits and underscores alone. Every name has one, and it leads back to the name.

/** `my-plugin` is `my__plugin`; any other character is `_x` and its number in hexadecimal, then `_`. */
export function toWireName(name: string): string {
  return name.replace(unfit, (character) =>
    character === '-' ? '__' : `_x${character.codePointAt(0)?.toString(16)}_`,
  );
}

/** The name that has this wire name; a text that no name has is given as it is, as far as it goes. */
export function fromWireName(wireName: string): string {
  return wireName.replace(/_x([0-9a-f]{1,6})_|__/g, (escape, hex: string | undefined) => {
    if (hex === undefined) return '-';
    const codePoint = Number.parseInt(hex, 16);
    return codePoint > LAST_CODE_POINT ? escape : String.fromCodePoint(codePoint);
  });
}

const LAST_CODE_POINT = 0x10ffff;

/** Also underscores that would be read as part of an escape: before another character that is escaped, or before something like `x2d_`. */
const unfit = /[^A-Za-z0-9_]|_(?=[^A-Za-z0-9]|x[0-9a-f]{1,6}[^A-Za-z0-9])/gu;
