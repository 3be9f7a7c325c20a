// The package as it is published: packed, installed elsewhere, imported, type-checked and run from there.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pack } from '../../scripts/packaging.mjs';
import { execute, executeBin, root } from '../support/project.ts';

const entryPoints = ['pluglot', 'pluglot/channel', 'pluglot/sdk', 'pluglot/testing'];

let project: string;

beforeAll(async () => {
  project = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-package-')));
  const tarball = await pack(project);
  const modules = path.join(project, 'node_modules');
  fs.mkdirSync(path.join(modules, 'pluglot'), { recursive: true });
  await execute('tar', ['-xzf', tarball, '-C', path.join(modules, 'pluglot'), '--strip-components=1']);
  // What npm would put beside it; linked, so that this needs no network.
  for (const name of [...Object.keys(manifest().dependencies), '@types', 'undici-types']) {
    fs.mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    fs.symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name));
  }
  fs.writeFileSync(path.join(project, 'package.json'), `{ "name": "user", "type": "module" }\n`);
});

afterAll(() => fs.rmSync(project, { recursive: true, force: true }));

test('every entry point is listed here', () => {
  const exported = Object.keys(manifest().exports).filter((name) => name !== './package.json');
  expect(exported.map((name) => name.replace('.', 'pluglot')).sort()).toEqual(entryPoints);
});

test('its public surface is the one in surface.json', async () => {
  const surface: Record<string, string[]> = {};
  for (const name of entryPoints) {
    const { stdout, stderr } = await run(
      `console.log(JSON.stringify(Object.keys(await import('${name}')).sort()))`,
    );
    expect(stderr).toBe('');
    const types = await typesOf(name);
    surface[name] = [...(JSON.parse(stdout) as string[]), ...types.map((type) => `type ${type}`)];
  }
  await expect(`${JSON.stringify(surface, undefined, 2)}\n`).toMatchFileSnapshot('surface.json');
});

test('docs/library.md describes each name of the library, and no other', async () => {
  const { stdout } = await run(`console.log(JSON.stringify(Object.keys(await import('pluglot')).sort()))`);
  const page = fs.readFileSync(path.join(root, 'docs/library.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const described = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  );
  expect(described.sort()).toEqual(JSON.parse(stdout));
});

test('its types hold in a strict project, for import and for require', async () => {
  fs.writeFileSync(
    path.join(project, 'user.mts'),
    entryPoints.map((name, index) => `export * as entry${index} from '${name}';`).join('\n'),
  );
  fs.writeFileSync(
    path.join(project, 'user.cts'),
    entryPoints
      .map((name, index) => `import entry${index} = require('${name}');\nexport { entry${index} };`)
      .join('\n'),
  );
  const { stdout } = await executeBin(
    '@typescript/native/bin/tsc',
    [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--types',
      'node',
      '--target',
      'es2023',
      'user.mts',
      'user.cts',
    ],
    project,
  );
  expect(stdout).toBe('');
});

test('require() gives the same names as import', async () => {
  const { stdout } = await run(`
    import { createRequire } from 'node:module';
    const require = createRequire(import.meta.url);
    console.log(Object.keys(require('pluglot/sdk')).includes('openStdio'));
  `);
  expect(stdout).toBe('true\n');
});

test('its command runs from where it was installed', async () => {
  const program = path.join(project, 'node_modules/pluglot', manifest().bin['pluglot'] ?? '');
  expect(fs.readFileSync(program, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  const { exitCode, stdout } = await execute(process.execPath, [program, 'demo', '--json'], { cwd: project });
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, version: manifest().version });
});

test('without the bundler it builds no plugin, and says how to install it', async () => {
  const program = path.join(project, 'node_modules/pluglot', manifest().bin['pluglot'] ?? '');
  fs.writeFileSync(path.join(project, 'plugin.js'), '');
  const { exitCode, stderr } = await execute(process.execPath, [program, 'build'], { cwd: project });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('Install it: npm install --save-dev rolldown (REQUIREMENT_MISSING)');
});

describe('its files', () => {
  test('are what a user needs and no more', () => {
    const folder = path.join(project, 'node_modules/pluglot');
    const files = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(fs.readdirSync(folder).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist',
      'docs',
      'examples',
      'package.json',
      'schemas',
      'templates',
    ]);
    // A new plugin has a test of its own.
    const own = files.filter((file) => !file.startsWith('templates'));
    expect(own.filter((file) => /[.](test|soak)[.]|tsbuildinfo|[.]sources/.test(file))).toEqual([]);
  });

  test('name no place of the machine they were built on', () => {
    const folder = path.join(project, 'node_modules/pluglot/dist');
    const files = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const sources = files.filter((file) => /[.](js|ts)$/.test(file));
    expect(sources.length).toBeGreaterThan(0);
    for (const file of sources) {
      expect(fs.readFileSync(path.join(folder, file), 'utf8'), file).not.toContain(root);
    }
  });
});

test('dependencies are pinned exactly and take the oldest Node that we take', () => {
  const { dependencies, devDependencies, engines } = manifest();
  for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies })) {
    expect(range, name).toMatch(/^(npm:.+@)?\d+\.\d+\.\d+$/);
  }
  expect(engines.node).toBe('>=20.19');
  expect(fs.readFileSync(path.join(root, '.npmrc'), 'utf8')).toContain('engine-strict=true');
});

function run(source: string) {
  return execute(process.execPath, ['--input-type=module', '-e', source], { cwd: project });
}

/** The names of types that an entry point exports, from its own declaration file. */
async function typesOf(name: string): Promise<string[]> {
  const file = manifest().exports[name.replace('pluglot', '.')]?.types ?? '';
  const declarations = await fs.promises.readFile(path.join(project, 'node_modules/pluglot', file), 'utf8');
  return [...declarations.matchAll(/export (type )?\{([^}]*)\}/g)]
    .flatMap(([, all, names = '']) =>
      names
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '' && (all !== undefined || one.startsWith('type ')))
        .map((one) => one.replace(/^type /, '')),
    )
    .sort();
}

interface Manifest {
  readonly version: string;
  readonly bin: Record<string, string>;
  readonly exports: Record<string, { readonly types: string }>;
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly engines: { readonly node: string };
}

function manifest(): Manifest {
  // Our own file.
  return JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as Manifest;
}
