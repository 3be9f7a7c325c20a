// The last result of each soak, as a table in docs/soak.md: written by the soaks themselves.
import fs from 'node:fs';
import path from 'node:path';
import { root } from './project.ts';

export type SoakResult = {
  /** Names the row: a later result of the same name replaces it. */
  readonly what: string;
  readonly count: number;
  readonly details: string;
  readonly durationMs: number;
};

/** Prints a result and puts it in the table. */
export function recordSoak(result: SoakResult): void {
  const file = path.join(root, 'docs/soak.md');
  const row = rowOf(result);
  const before = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n') : [];
  const others = before.filter(
    (line) => line.startsWith('| ') && !line.startsWith(`| ${result.what} |`) && line !== HEAD,
  );
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, `${INTRODUCTION}\n\n${[HEAD, RULE, ...[...others, row].sort()].join('\n')}\n`);
  console.log(row);
}

function rowOf({ what, count, details, durationMs }: SoakResult): string {
  const date = new Date().toISOString().slice(0, 10);
  const cells = [
    what,
    count.toLocaleString('en'),
    `${Math.round(durationMs / 1000)} s`,
    details,
    `Node ${process.version}`,
    date,
  ];
  return `| ${cells.join(' | ')} |`;
}

const INTRODUCTION = `# Soak

\`npm run soak\` runs the full numbers of which \`npm test\` runs a part. Each soak writes its last result here.
Every soak draws a new seed and prints it; \`PLUGLOT_SEED\` brings one back. \`npm test\` uses the same seed each time.`;
const HEAD = '| what | count | duration | details | runtime | date |';
const RULE = '|---|---|---|---|---|---|';
