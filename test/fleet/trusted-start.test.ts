// Plugins of a folder that was trusted, as real processes: what they may change of themselves, and what ends them.
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { discover, trustPath, userTrustStore } from '../../src/fleet/discovery/discover.ts';
import { createFleet } from '../../src/fleet/fleet.ts';
import { createLauncher } from '../../src/fleet/supervisor/process-launcher.ts';
import { trustingLauncher } from '../../src/fleet/trust/trusting-launcher.ts';
import { root } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const example = path.join(root, 'examples/gassist-countdown');
const modes = ['auto', 'group'] as const;

test.each(modes)('a plugin that rewrites its own manifest goes on being trusted (%s)', async (mode) => {
  const { folder, started } = await trusted(
    mode,
    `
    import fs from 'node:fs';
    const file = new URL('manifest.json', import.meta.url);
    const manifest = JSON.parse(fs.readFileSync(file, 'utf8'));
    manifest.functions.push({ name: 'extra_' + manifest.functions.length, description: 'Found at run time.' });
    fs.writeFileSync(file, JSON.stringify(manifest));
    await import('./countdown.mjs');
    `,
  );
  const functions = () =>
    (JSON.parse(fs.readFileSync(path.join(folder, 'manifest.json'), 'utf8')) as { functions: unknown[] })
      .functions.length;
  const before = functions();
  for (let time = 1; time <= 2; time += 1) {
    const plugin = await started();
    expect(await plugin.call('countdown', { from: 2 })).toMatchObject({ ok: true });
    expect(functions()).toBe(before + time);
  }
});

test.each(modes)('one that is exchanged during its start, and put back, is ended (%s)', async (mode) => {
  const { folder, started } = await trusted(
    mode,
    `
    import fs from 'node:fs';
    const here = (name) => new URL(name, import.meta.url);
    fs.writeFileSync(here('begun'), '');
    while (!fs.existsSync(here('go'))) await new Promise((resolve) => setTimeout(resolve, 5));
    await import('./countdown.mjs');
    `,
  );
  const refused = expect(started()).rejects.toMatchObject({ code: 'NOT_TRUSTED' });
  await expect.poll(() => fs.existsSync(path.join(folder, 'begun')), { interval: 5 }).toBe(true);
  const file = path.join(folder, 'plugin.mjs');
  fs.renameSync(file, `${file}.old`);
  fs.renameSync(`${file}.old`, file);
  fs.writeFileSync(path.join(folder, 'go'), '');
  await refused;
});

async function trusted(mode: (typeof modes)[number], program: string) {
  const home = temporaryFolder();
  const folder = temporaryFolder();
  fs.copyFileSync(path.join(example, 'manifest.json'), path.join(folder, 'manifest.json'));
  fs.copyFileSync(path.join(example, 'plugin.mjs'), path.join(folder, 'countdown.mjs'));
  fs.writeFileSync(path.join(folder, 'plugin.mjs'), program);
  const places = { cwd: home, home, env: {} };
  await trustPath(userTrustStore(places), folder, places);
  const launcher = createLauncher({ env: process.env, stateFolder: `${home}/state`, containment: mode });
  onTestFinished(() => launcher.close());
  const started = async () => {
    const { plugins, checkAgain } = await discover({ ...places, folders: [folder] });
    const specs = plugins.map(({ spec }) => spec);
    const fleet = createFleet({ specs, launcher: trustingLauncher(launcher, checkAgain) });
    onTestFinished(() => fleet.close());
    const plugin = fleet.plugin('gassist-countdown');
    await plugin.start();
    return plugin;
  };
  return { folder, started };
}
