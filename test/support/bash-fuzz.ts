// Random scripts before the policy, and those that it allows in a real bash: whatever runs there but what the rules name is a hole.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { readCommandLine } from '../../src/gate/policy/shell/command-line.ts';
import { policyOf, shellCall } from './policy.ts';
import { shellScripts } from './shell-scripts.ts';
import { temporaryFolder } from './temporary-folder.ts';

export const bash = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find((file) => fs.existsSync(file));

interface BashFuzz {
  readonly tried: number;
  readonly allowed: number;
  /** In bash; the others need no shell. */
  readonly ran: number;
  /** Scripts that were allowed, each with what it ran beside that. */
  readonly holes: readonly (readonly [script: string, ran: string])[];
}

/** Ends with the count or the time, whichever comes first. */
export async function fuzzBash(
  program: string,
  limits: { readonly seed: number; readonly count: number; readonly limitMs: number },
): Promise<BashFuzz> {
  const run = marking(program);
  const policy = policyOf(
    { defaultPolicy: 'ask', whitelist: { patterns: ['echo *', 'cat *', 'true *'] } },
    { cwd: run.cwd },
  );
  const ran: string[] = [];
  let tried = 0;
  let allowed = 0;
  const end = performance.now() + limits.limitMs;
  for (const script of shellScripts(limits.seed)) {
    if (tried >= limits.count || performance.now() > end) break;
    tried += 1;
    const verdict = await policy.decide(shellCall(script));
    if (verdict.kind !== 'allow') continue;
    allowed += 1;
    const line = await readCommandLine(script, []);
    if (line.kind === 'argv') continue;
    run.start(script, ran.push(script) - 1);
  }
  // Looked at last, for what was left running behind a script.
  const holes = run.marked().map(([index, names]) => [ran[index] ?? '', names] as const);
  return { tried, allowed, ran: ran.length, holes };
}

/** What a script runs, one name a line. */
export function markedBy(program: string, script: string): string {
  const run = marking(program);
  run.start(script, 0);
  return run.marked()[0]?.[1] ?? '';
}

function marking(program: string) {
  const cwd = temporaryFolder();
  // Outside of where scripts run, so that a `*` of theirs does not find it.
  const marks = temporaryFolder();
  const prelude = path.join(temporaryFolder({ prelude: PRELUDE }), 'prelude');
  return {
    cwd,
    start(script: string, index: number) {
      spawnSync(program, ['--noprofile', '--norc', '-c', '--', script], {
        cwd,
        env: {
          PATH: '/nowhere',
          BASH_ENV: prelude,
          MARK: path.join(marks, String(index)),
          LC_ALL: 'C.UTF-8',
        },
        input: '',
        timeout: 10_000,
        killSignal: 'SIGKILL',
        stdio: ['pipe', 'ignore', 'ignore'],
      });
    },
    marked: () =>
      fs
        .readdirSync(marks)
        .map((name) => [Number(name), fs.readFileSync(path.join(marks, name), 'utf8')] as const),
  };
}

/** No program is found, and each that is looked for leaves a mark; `cat` alone is there. */
const PRELUDE = `readonly MARK
command_not_found_handle() { builtin printf '%s\\n' "$1" >> "$MARK"; }
cat() { :; }
`;
