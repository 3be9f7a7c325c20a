// pluglot/sdk from the outside: real programs on the built package.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import {
  childPipe,
  framedLink,
  lengthPrefix,
  lines,
  Peer,
  type PeerTrouble,
} from '../../src/channel/index.ts';
import { execute, root } from '../support/project.ts';

test.each([lines(), lengthPrefix()])('prints of the author go to stderr, not onto $name', async (framing) => {
  const child = start('prints-to-stdout.mjs', framing.name);
  const stderr = text(child.stderr);
  const troubles: PeerTrouble[] = [];
  const peer = new Peer(framedLink(childPipe(child), framing), {
    answerInvalid: false,
    onTrouble: (trouble) => troubles.push(trouble),
  });
  expect(await peer.request('print')).toBe('printed');
  expect(await peer.request('print')).toBe('printed');
  await peer.close();
  await once(child, 'exit');
  // Only what was printed before the wire was opened came as noise, in one piece or several.
  const noise = troubles.map((trouble) => ('text' in trouble ? trouble.text.trim() : trouble.kind));
  expect(noise.join('')).toBe('before');
  for (const way of [
    'console.log',
    'console.info 1',
    'console.table',
    'a console.log that was kept',
    'process.stdout',
  ]) {
    expect(await stderr).toContain(way);
  }
  expect(await stderr).toContain('closed');
  expect(child.exitCode).toBe(0);
});

test('a program ends by itself when its host closes stdin, and answers first', async () => {
  const child = start('prints-to-stdout.mjs', 'lines');
  child.stdin.end(`{"jsonrpc":"2.0","id":1,"method":"print"}\n`);
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(output).toBe(`before\n{"jsonrpc":"2.0","id":1,"result":"printed"}\n`);
  expect(child.exitCode).toBe(0);
});

test('a program with a running timer and a hanging call does not outlive its host', async () => {
  const child = start('never-ends.mjs');
  const peer = new Peer(framedLink(childPipe(child), lines()));
  expect(await peer.request('pid')).toBe(child.pid);
  const hanging = peer.request('hang');
  child.stdin.end();
  await expect(hanging).rejects.toMatchObject({ code: 'PIPE_ENDED' });
  if (child.exitCode === null) await once(child, 'exit');
  expect(child.exitCode).toBe(0);
});

test('pluglot/sdk and pluglot/channel load no third-party module', async () => {
  const source = `
    import module from 'node:module';
    module.register('data:text/javascript,' + encodeURIComponent(\`
      export async function resolve(specifier, context, next) {
        const resolved = await next(specifier, context);
        if (resolved.url.includes('/node_modules/')) throw new Error('loaded ' + resolved.url);
        return resolved;
      }\`));
    await import('pluglot/sdk');
    await import('pluglot/channel');
  `;
  expect(await execute(process.execPath, ['--input-type=module', '-e', source])).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: '',
  });
});

test('pluglot/sdk is one file and a door into it, and has the classes that all others have', async () => {
  expect(staticImports('dist/sdk/index.js')).toEqual(['./core.js']);
  expect(staticImports('dist/sdk/core.js')).toEqual([]);
  const source = `
    const [sdk, host] = await Promise.all([import('pluglot/sdk'), import('pluglot')]);
    console.log(sdk.PluglotError === host.PluglotError);
  `;
  const { stdout } = await execute(process.execPath, ['--input-type=module', '-e', source]);
  expect(stdout).toBe('true\n');
});

test('nothing is loaded for the sake of another dialect, and no module of Node before a program serves', async () => {
  const parts = fs.readdirSync(path.join(root, 'dist/sdk')).filter((name) => name.startsWith('dialect-'));
  expect(parts).toHaveLength(5);
  for (const part of parts) {
    const ours = staticImports(`dist/sdk/${part}`).filter((name) => !name.startsWith('node:'));
    expect(['./core.js', './shared.js', './when-serving.js'], part).toEqual(expect.arrayContaining(ours));
  }
  expect(
    staticImports('dist/sdk/when-serving.js')
      .filter((name) => name.startsWith('.'))
      .sort(),
  ).toEqual(['./core.js', './shared.js']);
  expect(staticImports('dist/sdk/shared.js').filter((name) => name.startsWith('.'))).toEqual([]);
  const source = `
    const before = process.moduleLoadList.length;
    await import('pluglot/sdk');
    console.log(JSON.stringify(process.moduleLoadList.slice(before)));
  `;
  const { stdout } = await execute(process.execPath, ['--input-type=module', '-e', source]);
  expect(JSON.parse(stdout)).not.toContainEqual(
    expect.stringMatching(/^NativeModule (?:net|stream|tty|vm|worker_threads)$/),
  );
});

function staticImports(file: string): string[] {
  const text = fs.readFileSync(path.join(root, file), 'utf8');
  return [...text.matchAll(/^(?:import|export) .*?from "([^"]+)";$/gm)].map(([, name = '']) => name);
}

function start(program: string, ...args: readonly string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [path.join(root, 'test/plugins', program), ...args]);
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}
