// What confined programs see of the user's own configuration of git: who commits and how files are written. Nothing with a password or a
// program in it.
import path from 'node:path';
import { askProgram } from '../../fleet/supervisor/ask-program.ts';
import { allowedEnvironment } from '../../fleet/supervisor/environment.ts';
import { findOutside } from '../../fleet/trust/paths.ts';
import type { GitConfigPlaces, GitSetting } from './git-config-file.ts';
import type { SandboxHost } from './sandbox.ts';

const KEPT = new Set([
  'core.autocrlf',
  'core.eol',
  'core.quotepath',
  'diff.algorithm',
  'diff.renames',
  'init.defaultbranch',
  'merge.conflictstyle',
  'pull.ff',
  'pull.rebase',
  'push.default',
  'rerere.enabled',
  'user.email',
  'user.name',
]);

/** The text of a `.gitconfig`. */
export async function gitConfiguration(host: SandboxHost): Promise<string> {
  const { env, home } = host;
  const allowed: Record<string, string> = { ...allowedEnvironment(env), HOME: home };
  const git = findOutside('git', allowed['PATH'] ?? '', host.writable?.() ?? []);
  const args = ['config', '--global', '--null', '--list'];
  const listed =
    git === undefined
      ? undefined
      : await askProgram({ command: git, args, cwd: path.parse(home).root, env: allowed });
  const settings = (listed ?? '').split('\0').flatMap((each) => {
    const [name = '', ...value] = each.split('\n');
    const [section = '', key = ''] = name.split('.');
    return KEPT.has(name) ? [`[${section}]\n\t${key} = ${quoted(value.join('\n'))}\n`] : [];
  });
  // It runs nothing outside: who owns the workspace does not matter.
  return ['[safe]\n\tdirectory = *\n', ...settings].join('');
}

const SETTINGS_MAX = 1000;

/** Where git reads what holds for all repositories of the user. */
export function gitConfigPlaces({ env, home }: SandboxHost): GitConfigPlaces {
  const folder = env['XDG_CONFIG_HOME'] || path.join(home, '.config');
  const files = [
    env['GIT_CONFIG_SYSTEM'] || '/etc/gitconfig',
    path.join(folder, 'git', 'config'),
    path.join(home, '.gitconfig'),
    ...(env['GIT_CONFIG_GLOBAL'] ? [env['GIT_CONFIG_GLOBAL']] : []),
  ];
  const count = Math.min(Number(env['GIT_CONFIG_COUNT'] ?? 0) || 0, SETTINGS_MAX);
  const settings = Array.from({ length: count }, (_, index) => {
    const [section = '', ...rest] = (env[`GIT_CONFIG_KEY_${index}`] ?? '').toLowerCase().split('.');
    return { section, name: rest.at(-1) ?? '', value: env[`GIT_CONFIG_VALUE_${index}`] ?? '' };
  });
  return { home, files, settings: [...settings, ...programsOf(env)] };
}

/** Variables that name programs for git are like settings that do. */
function programsOf(env: SandboxHost['env']): GitSetting[] {
  const programs = PROGRAM_VARIABLES.flatMap((name) =>
    env[name] ? [{ section: 'core', name: 'editor', value: env[name] }] : [],
  );
  const template = env['GIT_TEMPLATE_DIR'];
  return template ? [...programs, { section: 'init', name: 'templatedir', value: template }] : programs;
}

const PROGRAM_VARIABLES = [
  'EDITOR',
  'GIT_ASKPASS',
  'GIT_EDITOR',
  'GIT_EXTERNAL_DIFF',
  'GIT_PAGER',
  'GIT_PROXY_COMMAND',
  'GIT_SEQUENCE_EDITOR',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'PAGER',
  'SSH_ASKPASS',
  'VISUAL',
];

function quoted(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
