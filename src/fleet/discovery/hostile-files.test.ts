// Whatever lies where a file is looked for: discovery ends, tells, executes nothing and goes on with the rest.
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { link, namedPipe, program, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { discover } from './discover.ts';

const places = [
  'home/.config/pluglot/pluglot.json',
  'home/.mcp.json',
  'home/.local/state/pluglot/trust.json',
  'project/pluglot.json',
  'project/.mcp.json',
  'project/package.json',
  'project/node_modules/dep/package.json',
  'project/plugins/a/manifest.json',
  'project/plugins/b/yams-plugin.json',
  'project/plugins/c/plugin',
  'project/plugins/d.py',
  'project/plugins',
];

const hostile: Readonly<Record<string, (file: string) => void>> = {
  folder: (file) => fs.mkdirSync(file, { recursive: true }),
  fifo: namedPipe(),
  loop: (file) => fs.symlinkSync(path.basename(file), file),
  dangling: (file) => fs.symlinkSync('/nowhere/at/all', file),
  device: (file) => fs.symlinkSync('/dev/zero', file),
  process: (file) => fs.symlinkSync('/proc/self/environ', file),
  huge: (file) => {
    fs.writeFileSync(file, '');
    fs.truncateSync(file, 2 ** 36);
  },
  binary: (file) => fs.writeFileSync(file, Buffer.from([0, 255, 254, 1, 2, 128])),
  deep: (file) => fs.writeFileSync(file, '{"plugins":'.repeat(50_000)),
  wide: (file) => fs.writeFileSync(file, `{"plugins":{${'"a":{},'.repeat(20_000)}"b":{}},"mcpServers":{}}`),
  many: (file) =>
    fs.writeFileSync(
      file,
      `{"mcpServers":{${Array.from({ length: 200_000 }, (_, index) => `"a${index}":1`).join()}}}`,
    ),
  references: (file) => fs.writeFileSync(file, textsOf('${'.repeat(150_000))),
  defaults: (file) => fs.writeFileSync(file, textsOf('${a:-'.repeat(60_000))),
  empty: (file) => fs.writeFileSync(file, ''),
  prototype: (file) =>
    fs.writeFileSync(
      file,
      '{"__proto__":{"command":"x"},"plugins":{"__proto__":{"command":"x"},"constructor":{"command":"y"}},"mcpServers":{"__proto__":{"command":"x"}},"name":"__proto__","executable":"x","protocol_version":"2.0"}',
    ),
};

/** A text wherever one may stand. */
function textsOf(text: string): string {
  const server = { command: text, args: [text], cwd: text, env: { A: text } };
  const plugins = { a: server, b: { url: `https://x/${text}`, headers: { A: text } } };
  return JSON.stringify({
    plugins,
    mcpServers: plugins,
    name: text,
    executable: text,
    protocol_version: '2.0',
    entry: { cmd: [text] },
  });
}

for (const [index, [name, make]] of Object.entries(hostile).entries()) {
  // Every kind everywhere at once, and in one place after the other; a soak would try all pairs.
  const alone = [places[index % places.length] ?? '', places[(index + 5) % places.length] ?? ''];

  test.for([places, ...alone.map((place) => [place])])(`${name} in place of %s`, async (chosen) => {
    const at = world(Object.fromEntries(chosen.map((place) => [place, make])));
    const { plugins, problems } = await look(at);
    // The user's own plugin is there unless it is the user's own file that is broken.
    const isOwnIntact = !chosen.some((place) => place.startsWith('home/.config'));
    expect(plugins.some(({ spec }) => spec.name === 'mine')).toBe(isOwnIntact);
    expect(problems.every(({ file }) => file.startsWith(at))).toBe(true);
    const trusted = plugins.filter((one) => one.trust.trusted).map((one) => one.origin.file);
    expect(trusted.filter((file) => !file.startsWith(`${at}/home/`))).toEqual([]);
    expect(fs.existsSync(`${at}/executed`)).toBe(false);
  });
}

test('random contents everywhere', async () => {
  const keys = fc.constantFrom(
    'plugins',
    'folders',
    'mcpServers',
    'command',
    'args',
    'url',
    'env',
    'executable',
    'protocol_version',
    'entry',
    'cmd',
    'binary',
    'linux',
    'pluglot',
    'dependencies',
    'dep',
    'process',
    'file',
    'name',
    'a',
    '__proto__',
    'disabled',
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom<unknown>(
        'x',
        '../../x',
        './plugin.py',
        '/bin/sh',
        '2.0',
        '1',
        5,
        true,
        null,
        '${HOME}',
        '${',
        '~',
        '.',
        '\u0000',
        'a\nb',
        '💥',
      ),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(keys, tie('tree'), { maxKeys: 5 }),
    ),
  }));
  const files = fc.dictionary(
    fc.constantFrom(...places.filter((place) => place.endsWith('json'))),
    fc.oneof(fc.dictionary(keys, tree, { maxKeys: 6 }), tree),
    { maxKeys: 6 },
  );
  await fc.assert(
    fc.asyncProperty(files, async (contents) => {
      const at = world(
        Object.fromEntries(
          Object.entries(contents).map(([place, value]) => [
            place,
            (file: string) => fs.writeFileSync(file, JSON.stringify(value)),
          ]),
        ),
      );
      const first = await look(at);
      const { plugins, problems } = await look(at);
      expect({ plugins, problems }).toEqual({ plugins: first.plugins, problems: first.problems });
      expect(new Set(first.plugins.map(({ spec }) => spec.name)).size).toBe(first.plugins.length);
      for (const { spec, trust, origin } of first.plugins) {
        expect(spec.name).toMatch(/^[\p{L}\p{N}]/u);
        expect(trust.trusted && origin.file.startsWith(`${at}/project`)).toBe(false);
        expect(spec.start.kind === 'program' ? spec.start.command : spec.start.url).toBeTypeOf('string');
      }
      fs.rmSync(at, { recursive: true, force: true });
    }),
    { numRuns: runs(100, 10) },
  );
});

/** A machine where everything is in order, but for some places. */
function world(replaced: Readonly<Record<string, (file: string) => void>>): string {
  const at = temporaryFolder({ 'home/.keep': '', 'project/.keep': '' });
  const mark = program(`#!/bin/sh\ntouch ${at}/executed\n`);
  const files = {
    'home/.config/pluglot/pluglot.json': { plugins: { mine: { command: 'mine' } } },
    'project/pluglot.json': { plugins: { theirs: { command: './x' } }, folders: ['plugins'] },
    'project/.mcp.json': { mcpServers: { server: { command: 'x' } } },
    'project/package.json': { dependencies: { dep: '1' } },
    'project/node_modules/dep/package.json': {
      pluglot: { plugins: { dep: { process: true, file: 'p.js' } } },
    },
    'project/node_modules/dep/p.js': '',
    'project/plugins/a/manifest.json': { executable: 'plugin.py', protocol_version: '2.0' },
    'project/plugins/a/plugin.py': mark,
    'project/plugins/b/yams-plugin.json': {},
    'project/plugins/b/plugin': mark,
    'project/plugins/c/plugin': mark,
    'project/plugins/d.py': mark,
    'project/plugins/e.py': link('/etc/hostname'),
  };
  for (const [place, make] of Object.entries(replaced)) write(at, place, make);
  for (const [place, content] of Object.entries(files)) {
    if (Object.keys(replaced).some((one) => place === one || place.startsWith(`${one}/`))) continue;
    write(at, place, (file) => {
      if (typeof content === 'function') content(file);
      else fs.writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    });
  }
  return at;
}

function write(at: string, place: string, make: (file: string) => void): void {
  const file = path.join(at, place);
  const parents = path.dirname(file);
  // Another hostile thing may already stand where the folder should be.
  try {
    fs.mkdirSync(parents, { recursive: true });
    make(file);
  } catch {
    return;
  }
}

function look(at: string) {
  return discover({
    cwd: `${at}/project`,
    home: `${at}/home`,
    env: { HOME: `${at}/home` },
    folders: [`${at}/project/plugins`],
  });
}
