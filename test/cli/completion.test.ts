// Completion in real shells: what TAB offers, that it starts nothing, and that no name can run a command.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { cli, environment, program } from '../support/surface/command-line.ts';
import { temporaryFolder, program as script } from '../support/temporary-folder.ts';

/** A plugin that leaves a trace when it is started, and one with a manifest full of malice. */
const project = {
  'pluglot.json': {
    plugins: { dice: { command: './trap.sh' }, docs: { command: './trap.sh' } },
    folders: ['./found'],
  },
  'trap.sh': script('#!/bin/sh\ntouch started\n'),
  'found/hostile/manifest.json': {
    name: 'hostile',
    protocol_version: '2.0',
    executable: 'plugin.py',
    functions: ['roll', '$(touch evil)', '`touch evil`', 'a;touch evil', 'x\ntouch evil', '-rf'].map(
      (name) => ({
        name,
      }),
    ),
  },
  'found/hostile/plugin.py': '',
};

test.each([
  [['dice', 'docs'], 'pluglot logs d'],
  [['hostile__-rf', 'hostile__roll'], 'pluglot call '],
  [['roll'], 'pluglot call r'],
  [['start', 'status', 'stop'], 'pluglot st'],
  [['--json'], 'pluglot tools --j'],
  [['gassist', 'gevals'], 'pluglot inspect --dialect g'],
])('bash offers %o for %o', async (offered, line) => {
  const home = temporaryFolder(project);
  expect(inBash(home, line)).toEqual(offered);
  expect(fs.readdirSync(home)).not.toContain('started');
  expect(fs.readdirSync(home)).not.toContain('evil');
});

test('without a pluglot in PATH, the one that printed the script is asked', async () => {
  const home = temporaryFolder(project);
  const { stdout } = await cli(['completion', 'bash'], { home });
  expect(inBash(home, 'pluglot logs d', stdout)).toEqual(['dice', 'docs']);
});

test('zsh and fish get scripts of their own, and the help names them', async () => {
  const home = temporaryFolder();
  const [zsh, fish, help] = await Promise.all([
    cli(['completion', 'zsh'], { home }),
    cli(['completion', 'fish'], { home }),
    cli(['completion', '--help'], { home }),
  ]);
  expect(zsh.stdout).toMatch(/^#compdef pluglot\n/);
  expect(zsh.stdout).toContain('then _pluglot "$@"; else compdef _pluglot pluglot; fi');
  expect(fish.stdout).toContain('complete -c pluglot');
  expect(help.stdout).toContain('"bash", "zsh", "fish"');
});

test.runIf(spawnSync('zsh', ['--version']).status === 0)('zsh takes its script', async () => {
  const home = temporaryFolder();
  const { stdout } = await cli(['completion', 'zsh'], { home });
  const ran = spawnSync('zsh', ['-fc', `compdef() { print -r -- "$@"; }\n${stdout}`], { encoding: 'utf8' });
  expect(ran).toMatchObject({ status: 0, stdout: '_pluglot pluglot\n', stderr: '' });
  // From a folder of functions it is loaded by the first TAB, and that has to be answered.
  const folder = temporaryFolder({ _pluglot: stdout });
  const first = `fpath=(${folder} $fpath); autoload -U _pluglot
    pluglot() { print dice; }; compadd() { print -r -- "$@"; }; words=(pluglot logs d); CURRENT=3; _pluglot`;
  expect(spawnSync('zsh', ['-fc', first], { encoding: 'utf8' })).toMatchObject({
    stdout: '-- dice\n',
    stderr: '',
  });
});

/** What bash would offer for the last word, by the function that the script defines. */
function inBash(home: string, line: string, script?: string): string[] {
  const bin = path.join(home, 'bin');
  fs.mkdirSync(bin);
  if (script === undefined)
    fs.writeFileSync(path.join(bin, 'pluglot'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, {
      mode: 0o755,
    });
  const asked = `
    ${script ?? 'source <(pluglot completion bash)'}
    COMP_WORDS=(${line.endsWith(' ') ? `${line}""` : line})
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    _pluglot
    printf '%s\\n' "\${COMPREPLY[@]}"
    complete -p pluglot >&2`;
  const env = environment({ home });
  const ran = spawnSync('bash', ['--norc', '-c', asked], {
    cwd: home,
    env: { ...env, PATH: `${bin}:${env['PATH']}` },
    encoding: 'utf8',
  });
  expect(ran.stderr).toBe('complete -o default -F _pluglot pluglot\n');
  return ran.stdout.split('\n').filter((word) => word !== '');
}
