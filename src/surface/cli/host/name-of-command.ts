// What a plugin that was typed behind `--` is called in messages: the script or package, not what runs it.
import path from 'node:path';

/** `node tools/dice.mjs --fast` is "dice", `npx -y @scope/server-memory@1.2` is "server-memory". */
export function nameOfCommand(command: readonly string[]): string {
  const program = path.parse(command[0] ?? '').name;
  const packaged = packageIn(program, command.slice(1));
  if (packaged !== undefined) return packaged;
  const script = command.slice(1).find((word) => /\.(?:[cm]?[jt]s|py)$/.test(word)) ?? command[0] ?? '';
  const { name, dir } = path.parse(script);
  const generic = /^(?:index|main|plugin|server|extension)$/.test(name) && dir !== '' && dir !== '.';
  return generic ? path.basename(dir) : name;
}

/** What runs packages by their name, and the word that has to stand before that. */
const runners: Readonly<Record<string, readonly string[]>> = {
  npx: [],
  bunx: [],
  uvx: [],
  pnpm: ['dlx', 'exec'],
  yarn: ['dlx', 'exec'],
  npm: ['exec', 'x'],
  bun: ['x'],
  pipx: ['run'],
  docker: ['run'],
  podman: ['run'],
};

/** Options whose next word is their value. */
const withValue =
  /^(?:-e|--env|-v|--volume|-p|--publish|--mount|--name|--network|-u|--user|-w|--workdir|--package|--from|--with|--python|--env-file|--entrypoint)$/;

function packageIn(program: string, args: readonly string[]): string | undefined {
  const words = Object.hasOwn(runners, program) ? runners[program] : undefined;
  if (words === undefined) return undefined;
  const isNamed = words.length === 0 || words.includes(args[0] ?? '');
  if (!isNamed) return undefined;
  let isValue = false;
  for (const word of args.slice(words.length === 0 ? 0 : 1)) {
    if (isValue) isValue = false;
    else if (withValue.test(word)) isValue = true;
    else if (!word.startsWith('-')) return bareName(word);
  }
  return undefined;
}

/** Without scope, registry, version and tag. */
function bareName(word: string): string | undefined {
  const name = /([^/@:=<>~[\]]+)(?:\[[^\]]*\])?(?:[@:=<>~].*)?$/.exec(word.replace(/^@[^/]*\//, ''))?.[1];
  return name === undefined || name === '' || name === '.' || name === '..' ? undefined : name;
}
