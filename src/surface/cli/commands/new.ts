// `pluglot new NAME`: a plugin that runs, with a test, its manifests and a README.
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { dialectNames, type DialectName } from '../../../definition/plugin-spec.ts';
import { ExitCode } from '../exit-code.ts';
import { unlessInterrupted } from '../interruption.ts';
import { printableLine } from '../../../base/printable.ts';
import { languages, type Language } from '../scaffold/languages.ts';
import { makePlugin } from '../scaffold/make-plugin.ts';
import { inRows } from '../in-rows.ts';
import type { CommandContext } from './context.ts';

export interface NewOptions {
  readonly lang?: Language;
  readonly dialect?: DialectName;
}

export async function newPlugin(
  context: CommandContext,
  name: string,
  options: NewOptions,
): Promise<ExitCode> {
  const { cwd, out, json, version } = context;
  const { language, dialect } = await answers(context, options);
  const folder = path.join(cwd, name);
  const files = await makePlugin(folder, { name, language, dialect, version });
  if (json) out.line(JSON.stringify({ name, language, dialect, folder, files }));
  else tell(context, name, language, dialect, files);
  return ExitCode.ok;
}

interface Answers {
  readonly language: Language;
  readonly dialect: DialectName | undefined;
}

/** Asks a person for what was not typed. A program gets what is usual. */
async function answers(context: CommandContext, { lang, dialect }: NewOptions): Promise<Answers> {
  const { err, json, stdin } = context;
  const canAsk = err.live && stdin.isTTY && !json;
  const language = lang ?? (canAsk ? await choose(context, 'Language', languages, 'js') : 'js');
  // On the SDK one file speaks all dialects; in Python it has to be one.
  if (language !== 'python') return { language, dialect };
  return {
    language,
    dialect: dialect ?? (canAsk ? await choose(context, 'Dialect', dialectNames, 'mcp') : 'mcp'),
  };
}

async function choose<Choice extends string>(
  { stdin, stderr, err, signal }: CommandContext,
  question: string,
  choices: readonly Choice[],
  usual: Choice,
): Promise<Choice> {
  const lines = createInterface({ input: stdin, output: stderr });
  // On a terminal readline takes Ctrl-C; it means the same as everywhere, once the line is ended.
  lines.on('SIGINT', () => {
    stderr.write('\n');
    process.emit('SIGINT');
  });
  try {
    for (;;) {
      const asked = lines.question(`${question} (${choices.join(', ')}) [${usual}]: `);
      const typed = await unlessInterrupted(signal, asked);
      const chosen = typed.trim() === '' ? usual : choices.find((choice) => choice === typed.trim());
      if (chosen !== undefined) return chosen;
      err.line(`${printableLine(typed)} is none of them.`);
    }
  } finally {
    lines.close();
  }
}

const languageNames: Readonly<Record<Language, string>> = {
  ts: 'TypeScript',
  js: 'JavaScript',
  python: 'Python',
};

function tell(
  { out }: CommandContext,
  name: string,
  language: Language,
  dialect: DialectName | undefined,
  files: readonly string[],
): void {
  const { bold, cyan, dim } = out.colours;
  const speaks = language === 'python' ? `speaks ${dialect ?? 'mcp'}` : 'runs under hosts of every dialect';
  out.line(`${bold(name)} is there: a plugin in ${languageNames[language]} that ${speaks}.`);
  const rows = inRows('  ', files, { columns: out.columns, indent: '  ', separator: '  ' });
  for (const row of rows) out.line(dim(row));
  out.line();
  for (const step of [`cd ${name}`, ...nextSteps(language, dialect)]) out.line(`  ${cyan(step)}`);
}

/** What README.md of the plugin says, too. */
function nextSteps(language: Language, dialect: DialectName | undefined): readonly string[] {
  switch (language) {
    case 'ts':
      return ['npm install', 'npm test', 'npx pluglot call greet name=Ada -- node dist/main.js'];
    case 'js':
      return ['npm install', 'npm test', 'npx pluglot call greet name=Ada -- node main.js'];
    case 'python':
      return ['python3 -m unittest', `pluglot call ${firstCalls[dialect ?? 'mcp']} -- python3 plugin.py`];
  }
}

const firstCalls: Readonly<Record<DialectName, string>> = {
  gassist: 'greet name=Ada',
  gevals: 'greet name=Ada',
  mcp: 'greet name=Ada',
  planner: "create_plan user_request='Bake a cake. Eat it.'",
  yams: 'extractor.extract source=table.csv',
};
