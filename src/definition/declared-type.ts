// Whether an extractor has declared a type of file. Letter case and a missing dot do not matter, and `text/*` stands for all that begin so.
import type { FileType, FileTypes } from './extraction.ts';

/** What tells it; undefined when it is not declared. */
export function declaredBy(
  { formats, extensions }: FileTypes,
  { mimeType, extension }: FileType,
): 'mime_type' | 'extension' | undefined {
  const type = mimeType?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== undefined && formats.some((format) => covers(format.toLowerCase(), type))) return 'mime_type';
  const isKnown =
    extension !== undefined && extensions.some((known) => withDot(known) === withDot(extension));
  return isKnown ? 'extension' : undefined;
}

function covers(format: string, type: string): boolean {
  return format.endsWith('/*') ? type.startsWith(format.slice(0, -1)) : format === type;
}

function withDot(extension: string): string {
  return `.${extension.toLowerCase().replace(/^\./, '')}`;
}
