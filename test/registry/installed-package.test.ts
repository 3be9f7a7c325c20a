// A package of somebody else's, really installed into a project of somebody's: discovered, exposed, called, unexposed.
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { discover, trustPath, userTrustStore } from '../../src/fleet/discovery/discover.ts';
import { createFleet } from '../../src/fleet/fleet.ts';
import { createRegistry, type Registry } from '../../src/fleet/registry/registry.ts';
import { createLauncher } from '../../src/fleet/supervisor/process-launcher.ts';
import { execute, root } from '../support/project.ts';
import { openGate } from '../support/fleet/registry.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const version = '1.2.3';

/** Three ways to write a plugin; the last has a process of its own. */
const files = {
  'package/package.json': {
    name: 'pluglot-plugin-greet',
    version,
    type: 'module',
    dependencies: {},
    pluglot: {
      plugins: {
        greet: './dist/greet.js',
        count: './dist/count.cjs#makeCounter',
        shout: { process: true, file: './dist/shout.js', dialect: 'yams' },
      },
    },
  },
  'package/dist/greet.js': `
    import { definePlugin } from 'pluglot/sdk';
    import { word } from './word.js';
    export function createPlugin() {
      let name;
      return definePlugin({
        name: 'greet',
        version: '${version}',
        config: { type: 'object', properties: { name: { type: 'string', default: 'nobody' } } },
        tools: { greet: { description: 'Greets.', handler: () => \`\${word}, \${name}!\` } },
        setup: ({ config }) => { name = config.name; },
        teardown: () => { globalThis.greetIsDown = true; },
      });
    }
  `,
  'package/dist/word.js': `export const word = 'Hello';\n`,
  'package/dist/count.cjs': `
    class Counter {
      name = 'count';
      #count = 0;
      initialize(config) { this.#count = config?.from ?? 0; }
      shutdown() {}
      getFunctionDeclarations() { return [{ name: 'next', description: 'Counts.' }]; }
      getExecutors() { return { next: () => ({ count: (this.#count += 1) }) }; }
      getAutoApprovedTools() { return ['next']; }
    }
    module.exports = { makeCounter: () => new Counter() };
  `,
  'package/dist/shout.js': `
    import { definePlugin, serve } from 'pluglot/sdk';
    await serve(definePlugin({
      name: 'shout',
      version: '${version}',
      tools: { shout: { handler: ({ text }) => String(text).toUpperCase() } },
    }));
  `,
  'project/package.json': { name: 'somebody', private: true, type: 'module' },
};

test('a package is installed, discovered, exposed, called and unexposed', { timeout: 120_000 }, async () => {
  const at = temporaryFolder({ 'home/.keep': '', ...files });
  await install(at);
  const { registry, pluginNames } = await open(at);

  expect(await registry.discover({ folders: false })).toEqual([]);
  expect(registry.problems.map(({ plugin }) => plugin)).toEqual(['shout', 'greet', 'count']);
  expect((await registry.exposeAll()).map(({ plugin }) => plugin)).toEqual(['shout', 'greet', 'count']);

  await trust(at);
  expect(await registry.discover({ packages: false })).toEqual([]);
  expect(await registry.discover({ folders: false })).toEqual(['shout', 'greet', 'count']);
  expect(await registry.exposeAll({ greet: { name: 'Ada' }, count: { from: 41 } })).toEqual([]);
  expect(registry.listExposed()).toEqual(['shout', 'greet', 'count']);
  expect(registry.getExposedDeclarations().map(({ name }) => name)).toEqual([
    'shout__shout',
    'greet__greet',
    'count__next',
  ]);
  expect(registry.getAutoApprovedTools()).toEqual(['count__next']);
  expect(pluginNames()).toEqual(['shout']);

  const executors = registry.getExposedExecutors();
  expect(await executors.get('greet__greet')?.({})).toMatchObject({ ok: true, text: 'Hello, Ada!' });
  expect(await executors.get('count__next')?.({})).toMatchObject({ ok: true, data: { count: 42 } });
  expect(await executors.get('shout__shout')?.({ text: 'hey' })).toMatchObject({ ok: true, text: 'HEY' });

  await registry.exposeTool('greet', { name: 'Grace' });
  expect(await executors.get('greet__greet')?.({})).toMatchObject({ text: 'Hello, Grace!' });
  await registry.unexposeAll();
  expect([registry.listExposed(), pluginNames()]).toEqual([[], []]);
  expect(Reflect.get(globalThis, 'greetIsDown')).toBe(true);
});

/** As its author and its user would, without a network. */
async function install(at: string): Promise<void> {
  const npm = async (cwd: string, ...args: string[]) => {
    const ran = await execute('npm', [...args, '--offline', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd,
      env: { ...process.env, npm_config_cache: path.join(at, 'npm-cache') },
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
  };
  await npm(path.join(at, 'package'), 'pack', '--pack-destination', at);
  await npm(path.join(at, 'project'), 'install', path.join(at, `pluglot-plugin-greet-${version}.tgz`));
  expect(fs.lstatSync(path.join(at, 'project/node_modules/pluglot-plugin-greet')).isDirectory()).toBe(true);
  // The package that it is written with, as built here.
  fs.symlinkSync(root, path.join(at, 'project/node_modules/pluglot'));
}

async function open(at: string): Promise<{ registry: Registry; pluginNames: () => string[] }> {
  const stateFolder = path.join(at, 'state');
  const launcher = createLauncher({ env: process.env, stateFolder, containment: 'group' });
  const fleet = createFleet({ launcher });
  const registry = createRegistry({
    fleet,
    env: process.env,
    stateFolder,
    discover: ({ folders, packages }) =>
      discover({
        cwd: path.join(at, 'project'),
        home: path.join(at, 'home'),
        env: {},
        files: folders,
        packages,
      }),
  });
  registry.useGate(openGate(registry));
  onTestFinished(async () => {
    await registry.close();
    await fleet.close();
    await launcher.close();
  });
  return { registry, pluginNames: () => fleet.plugins.map(({ name }) => name) };
}

async function trust(at: string): Promise<void> {
  const surroundings = { cwd: path.join(at, 'project'), home: path.join(at, 'home'), env: {} };
  await trustPath(userTrustStore(surroundings), '.', surroundings);
}
