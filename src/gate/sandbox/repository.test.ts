// What a second confined program can do to a repository while the host works on it: it exchanges files and folders at the worst moment.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder, writeFiles } from '../../../test/support/temporary-folder.ts';
import { copyRepository, type RepositoryCopy } from './repository.ts';

describe.runIf(process.platform === 'linux')('while another confined program runs', () => {
  test('files outside stay where a folder is exchanged while links in it are removed', async () => {
    const { git, start } = repository();
    const names = Array.from({ length: 20 }, (_, index) => `victim-${index}`);
    const outside = temporaryFolder(Object.fromEntries(names.map((name) => [name, 'precious'])));
    const fill = () => {
      fs.mkdirSync(path.join(git, 'refs/d'));
      for (const name of names) fs.symlinkSync('x', path.join(git, 'refs/d', name));
    };
    const exchange = () => {
      fs.renameSync(path.join(git, 'refs/d'), path.join(git, 'refs/dd'));
      fs.symlinkSync(outside, path.join(git, 'refs/d'));
    };
    fill();
    atRemovalOf('victim-', exchange);
    const started = start();
    fs.rmSync(path.join(git, 'refs/d'));
    fill();
    atRemovalOf('victim-', exchange);
    await started.takeOver();
    expect(fs.readdirSync(outside).toSorted()).toEqual(names.toSorted());
  });

  test('a file outside is not read where its link comes after links were removed', async () => {
    const { git, start } = repository();
    const secret = path.join(temporaryFolder({ secret: 'do-not-read-me' }), 'secret');
    const alternates = path.join(git, 'objects/info/alternates');
    fs.symlinkSync('x', path.join(git, 'logs/decoy'));
    atRemovalOf('decoy', () => fs.symlinkSync(secret, alternates));
    const started = start();
    await started.takeOver();
    expect(fs.existsSync(alternates)).toBe(false);
    expect(fs.readFileSync(secret, 'utf8')).toBe('do-not-read-me');
  });

  test.each(['', '/other/objects\n'])(
    'a file outside is not written where alternates held %j and became a link to it',
    async (text) => {
      const { git, start } = repository();
      const victim = path.join(temporaryFolder({ victim: '# mine' }), 'victim');
      const alternates = path.join(git, 'objects/info/alternates');
      if (text !== '') fs.writeFileSync(alternates, text);
      const started = start();
      fs.symlinkSync('x', path.join(git, 'logs/decoy'));
      atRemovalOf('decoy', () => {
        fs.rmSync(alternates, { force: true });
        fs.symlinkSync(victim, alternates);
      });
      expect(await started.takeOver()).toContain('alternates was left as it was');
      expect(fs.readFileSync(victim, 'utf8')).toBe('# mine');
      const isThere = fs.lstatSync(alternates, { throwIfNoEntry: false })?.isFile() ?? false;
      expect(isThere ? fs.readFileSync(alternates, 'utf8') : '').toBe(text);
    },
  );

  test('only what was checked is taken over, though the copy changes after the check', async () => {
    const { workspace, git, copy, start } = repository();
    const started = start();
    const env = { ...process.env, GIT_DIR: git, GIT_WORK_TREE: workspace };
    const add = (index: string, ...args: string[]) =>
      execFileSync('git', ['update-index', '--add', '--cacheinfo', ...args], {
        env: { ...env, GIT_INDEX_FILE: path.join(copy, index) },
      });
    const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], { env, input: 'x' }).toString().trim();
    fs.copyFileSync(path.join(copy, 'index'), path.join(copy, 'evil'));
    add('evil', `160000,${blob},evil-module`);
    add('index', `100644,${blob},honest`);
    fs.writeFileSync(path.join(copy, 'HEAD'), 'ref: refs/heads/other\n');
    atOpeningOf('index.lock', () => fs.renameSync(path.join(copy, 'evil'), path.join(copy, 'index')));
    expect(await started.takeOver()).toBe('');
    const listed = execFileSync('git', ['ls-files', '-s'], { env }).toString();
    expect(listed).toContain('honest');
    expect(listed).not.toContain('evil-module');
    expect(fs.readFileSync(path.join(git, 'HEAD'), 'utf8')).toBe('ref: refs/heads/other\n');
  });

  test('a folder with very many files is not walked at the start, and others have their turn at the end', async () => {
    // In memory where that is possible, for speed.
    const memory = fs.mkdtempSync(
      path.join(fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir(), 'pluglot-'),
    );
    onTestFinished(() => fs.rmSync(memory, { recursive: true, force: true }));
    const { git, copy, start, begin } = repository(fs.realpathSync(memory));
    const started = start();
    fs.mkdirSync(path.join(git, 'logs/many'));
    for (let index = 0; index < 21_000; index += 1)
      fs.writeFileSync(path.join(git, 'logs/many', `${index}`), '');
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    await started.takeOver();
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
    fs.rmSync(copy, { recursive: true });
    fs.mkdirSync(copy);
    expect(begin()).toEqual({ tooLarge: expect.stringContaining('git could only read') as string });
  });

  test('links with names that are not UTF-8 are removed, and the rights to remove them are taken back', async () => {
    const { git, start } = repository();
    const started = start();
    const closed = path.join(git, 'refs/closed');
    fs.mkdirSync(closed);
    fs.symlinkSync('/nowhere', Buffer.concat([Buffer.from(`${closed}/`), Buffer.from([0xff])]));
    fs.chmodSync(closed, 0o500);
    await started.takeOver();
    expect(fs.readdirSync(closed)).toEqual([]);
  });

  /** Does something right before a file of this name is opened for the first time. */
  function atOpeningOf(name: string, action: () => void): void {
    const original = fs.openSync;
    const spied = vi.spyOn(fs, 'openSync').mockImplementation((file, ...rest) => {
      if (path.basename(String(file)) === name) {
        spied.mockRestore();
        action();
      }
      return original(file, ...rest);
    });
  }
});

/** Does something right after the first file whose name has these letters was removed. */
function atRemovalOf(letters: string, action: () => void): void {
  vi.restoreAllMocks();
  let isDone = false;
  const after = (file: fs.PathLike) => {
    if (isDone || !path.basename(String(file)).includes(letters)) return;
    isDone = true;
    action();
  };
  const { unlinkSync, rmSync } = fs;
  vi.spyOn(fs, 'unlinkSync').mockImplementation((file) => {
    unlinkSync(file);
    after(file);
  });
  vi.spyOn(fs, 'rmSync').mockImplementation((file, options) => {
    rmSync(file, options);
    after(file);
  });
}

function repository(workspace = temporaryFolder()) {
  onTestFinished(() => void vi.restoreAllMocks());
  writeFiles(workspace, { file: 'one' });
  const copy = temporaryFolder();
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: workspace });
  execFileSync('git', ['add', '.'], { cwd: workspace });
  const git = path.join(workspace, '.git');
  fs.mkdirSync(path.join(git, 'logs'), { recursive: true });
  const begin = () => copyRepository(git, copy, new Set());
  const start = (): RepositoryCopy => {
    const started = begin();
    if ('tooLarge' in started) throw new Error(started.tooLarge);
    return started;
  };
  return { workspace, git, copy, begin, start };
}
