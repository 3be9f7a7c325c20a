// Bytes that came as base64. Node's own decoder skips what it does not know, so that broken data would pass as other data.

/** Undefined when it is no base64. Line breaks, a missing padding and the alphabet for URLs are taken. */
export function readBase64(text: string): Uint8Array | undefined {
  if (/[^A-Za-z0-9+/=_\s-]/.test(text)) return undefined;
  const digits = /\s/.test(text) ? text.replace(/\s+/g, '') : text;
  const end = digits.indexOf('=');
  const length = end === -1 ? digits.length : end;
  const padding = digits.length - length;
  // A digit is six bits: one alone makes no byte.
  if (length % 4 === 1 || padding > 2) return undefined;
  if (padding > 0 && (digits.length % 4 !== 0 || !digits.endsWith('='.repeat(padding)))) return undefined;
  return Buffer.from(digits, 'base64');
}
