// What became of a plugin after a start, for people and for programs.
import { printable, printableLine } from '../../../base/printable.ts';
import type { Manifest } from '../../../definition/manifest.ts';
import type { Terminal } from '../terminal.ts';
import type { ManifestDiff } from './manifest-diff.ts';

/** The first time all of it; later what is different. */
export function manifestLines(
  manifest: Manifest,
  diff: ManifestDiff | undefined | 'first',
  { colours }: Terminal,
): string[] {
  const { bold, dim, green, red, yellow } = colours;
  const { name, version, dialect, tools } = manifest;
  const what = `${bold(printableLine(name))} ${printableLine(version, 40)} ${dim('speaks')} ${dialect}`;
  const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`;
  const head = `${green('✓')} ${what}${dim(` · ${count}`)}`;
  if (diff === 'first')
    return [head, ...(tools.length === 0 ? [] : [dim(`  ${listed(tools.map((tool) => tool.name))}`)])];
  if (diff === undefined) return [`${head}${dim(', as before')}`];
  return [
    head,
    ...diff.facts.map(({ what: fact, before, after }) => {
      const [one, other] = [printableLine(before || 'nothing', 60), printableLine(after || 'nothing', 60)];
      return `  ${yellow('~')} ${fact}: ${one} ${dim('→')} ${other}`;
    }),
    ...diff.added.map((tool) => `  ${green(`+ ${printableLine(tool)}`)}`),
    ...diff.removed.map((tool) => `  ${red(`- ${printableLine(tool)}`)}`),
    ...diff.changed.flatMap(({ tool, diff: lines }) => [
      `  ${yellow('~')} ${printableLine(tool)}`,
      ...lines.split('\n').map((line) => {
        const paint = line.startsWith('-') ? red : line.startsWith('+') ? green : dim;
        return `      ${paint(printable(line))}`;
      }),
    ]),
  ];
}

const LISTED = 20;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, LISTED).map((name) => printableLine(name, 60));
  return [...shown, ...(names.length > LISTED ? [`… and ${names.length - LISTED} more`] : [])].join(', ');
}
