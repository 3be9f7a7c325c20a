// What of the last that a program printed is worth a look.

/** The last lines that say something; where it is in Node itself that it fell is of no use to anybody. */
export function lastWords(stderr: string, count: number): string[] {
  const lines = stderr
    .replace(PLACE_IN_NODE, '')
    .split('\n')
    .map((line) => line.trimEnd());
  return lines.filter((line) => line !== '' && !FRAME_OF_NODE.test(line)).slice(-count);
}

/** A line of its own sources, with a mark below. */
const PLACE_IN_NODE = /^node:internal\/.*:\d+\n.*\n\s*\^+\n/m;
const FRAME_OF_NODE = /^ {4}at (?:.* \()?node:internal\/[\w/.-]+:\d+(?::\d+)?\)?( \{)?$/;
