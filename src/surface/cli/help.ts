// The help of `pluglot` itself, from the list of commands alone: it starts without what commands need.
import { groups } from './commands/index.ts';
import { createTerminals, exampleLines, type Streams, type Terminal } from './terminal.ts';

export function printHelp(streams: Streams): void {
  streams.stdout.write(helpText(createTerminals(streams).out.colours));
}

export function helpText(colours: Terminal['colours']): string {
  const { bold, cyan } = colours;
  const sections = [
    {
      title: 'Options:',
      rows: [
        ['-V, --version', 'Print the version'],
        ['-h, --help', 'Show help'],
      ] as const,
    },
    ...Object.entries(groups).map(([title, commands]) => ({
      title,
      rows: commands.filter(([name]) => !name.startsWith('_')),
    })),
  ];
  const width = Math.max(...sections.flatMap(({ rows }) => rows.map(([term]) => term.length)));
  const list = sections.flatMap(({ title, rows }) => [
    bold(title),
    ...rows.map(([term, text]) => `  ${cyan(term)}${' '.repeat(width - term.length)}  ${text}`),
    '',
  ]);
  return `${bold('Usage:')} pluglot [options] [command]

One host that runs every plugin dialect;
one plugin definition that speaks every dialect.

${list.join('\n')}${exampleLines(colours, [
    'pluglot up',
    'pluglot inspect -- node server.mjs',
    'pluglot call roll dice=2d6 -- node server.mjs',
    'pluglot add dice -- node server.mjs',
  ])}
Run pluglot COMMAND --help for the options of a command.
`;
}
