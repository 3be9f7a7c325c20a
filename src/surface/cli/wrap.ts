// Prose for people: broken at words, in lines that are easy to read.

/** Lines of at most 100 columns, each with the indent. */
export function wrap(text: string, columns: number, indent: string): string[] {
  const width = Math.max(Math.min(columns, 100) - indent.length, 20);
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = [];
    let line = '';
    for (const word of paragraph.split(/\s+/).filter(Boolean)) {
      if (line !== '' && line.length + 1 + word.length > width) {
        lines.push(`${indent}${line}`);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    return line === '' ? lines : [...lines, `${indent}${line}`];
  });
}
