// Programs in the sandbox that try to have something run outside, later: by what configures git and pluglot in a writable workspace.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { spawn } from '../../src/fleet/supervisor/spawn.ts';
import { findSandbox, isSandbox } from '../../src/gate/sandbox/find-sandbox.ts';
import { confined, confinedScript, ended, home, sandbox, SECRET } from '../support/gate/confined.ts';
import { type Content, link, namedPipe, temporaryFolder, writeFiles } from '../support/temporary-folder.ts';

/** Leaves a trace outside of the sandbox where git runs it there. */
const EVIL = '#!/bin/sh\ntouch "$(dirname "$0")/RAN"\n';

const OWN_FILES = ['pluglot.json', '.mcp.json', 'permissions.json'];

/** Each tries to have `evil` run by the next command of git outside; all in one program. */
const attacks: readonly (readonly [name: string, script: string])[] = [
  ['git config', 'git config core.fsmonitor "$W/evil"'],
  ['git config with a file', 'git config -f .git/config core.fsmonitor "$W/evil"'],
  ['writing .git/config', 'printf "[core]\\n\\tfsmonitor = $W/evil\\n" >> .git/config'],
  ['replacing .git/config', 'printf "[core]\\n\\tfsmonitor = $W/evil\\n" > c && mv c .git/config'],
  ['removing .git/config', 'rm -f .git/config'],
  ['a link in the place of .git/config', 'ln -sf "$W/c" .git/config'],
  ['renaming .git', 'mv .git .git-2 && git init -q .'],
  ['a link in the place of .git', 'ln -sfn "$W/other" .git && [ -L .git ]'],
  ['a file in the place of .git', 'echo "gitdir: $W/other" > .git'],
  ['a hook', 'cp evil .git/hooks/post-index-change'],
  ['a hook by a new folder', 'mv .git/hooks .git/hooks-2'],
  ['the folder of the hooks that is configured', 'cp evil my-hooks/pre-commit'],
  ['renaming the folder of the hooks that is configured', 'mv my-hooks h && mkdir my-hooks'],
  ['a further file of the configuration', 'printf "[core]\\n\\tfsmonitor = $W/evil\\n" >> more.config'],
  [
    'replacing a further file of the configuration',
    'printf "[core]\\n\\tfsmonitor = $W/evil\\n" > c && mv c more.config',
  ],
  ['a submodule', 'printf "[core]\\n\\tfsmonitor = $W/evil\\n" >> sub/.git/config'],
  [
    'a submodule whose repository is elsewhere in the workspace',
    'printf "[core]\\n\\tfsmonitor = $W/evil\\n" >> apart-git/config',
  ],
  ['another submodule in its place', 'mv sub sub-2 && mkdir sub'],
  ['another repository in a submodule', 'mv sub/.git sub/g'],
  ['a submodule that is not there yet', 'git init -q empty'],
  ...OWN_FILES.flatMap((name): [string, string][] => [
    [`making ${name}`, `echo '{}' > ${name}`],
    [`making a folder ${name}`, `rmdir ${name}/*; rmdir ${name}; mkdir ${name}`],
    [`renaming something to ${name}`, `echo '{}' > c && mv -T c ${name}`],
    [`a link ${name}`, `ln -sfT /dev/null ${name}`],
    [`renaming ${name}`, `mv ${name} c2`],
  ]),
];

/** These change a copy, which is not taken over. */
const later: readonly (readonly [name: string, script: string])[] = [
  [
    'another common folder',
    'cp -r .git other; printf "[core]\\n\\tfsmonitor = $W/evil\\n" >> other/config; echo "$W/other" > .git/commondir',
  ],
  ['configuration of the work tree', 'printf "[core]\\n\\tfsmonitor = $W/evil\\n" > .git/config.worktree'],
  [
    'a repository in the repository',
    'git init -q nested && git -C nested commit -q --allow-empty -m x && git -C nested config core.fsmonitor "$W/evil" && git add nested',
  ],
  [
    'a rebase with a command',
    'mkdir .git/rebase-merge && echo "exec $W/evil" > .git/rebase-merge/git-rebase-todo',
  ],
  [
    'a link to a file outside',
    'ln -sf "$SECRET_FILE" .git/ORIG_HEAD && ln -sfn "$SECRET_FOLDER" .git/sequencer',
  ],
  ['an index that is none', 'echo x > .git/index'],
  ['the workspace as a repository, without HEAD of its own', 'rm -f .git/HEAD; eval "$MAKE_REPOSITORY"'],
  ['the workspace as a repository, with a broken HEAD', 'echo broken > .git/HEAD; eval "$MAKE_REPOSITORY"'],
  ['HEAD as a link that leads nowhere', 'ln -sfn /nowhere .git/HEAD; eval "$MAKE_REPOSITORY"'],
  [
    'a merge strategy that is a script',
    'mkdir .git/rebase-merge && echo ../evil > .git/rebase-merge/strategy',
  ],
  [
    'a merge strategy of a cherry-pick',
    'mkdir .git/sequencer && printf "[options]\\n\\tstrategy = x/run\\n" > .git/sequencer/opts',
  ],
  ['a name of bytes', 'mkdir .git/sequencer && touch ".git/sequencer/$(printf "\\377\\376")"'],
  [
    'files that are too large',
    'mkdir .git/rebase-merge && truncate -s 3G .git/rebase-merge/todo .git/ORIG_HEAD',
  ],
  [
    'links where git writes',
    'ln -sfn "$SECRET_FILE" .git/logs/HEAD; ln -sfn "$SECRET_FOLDER" .git/refs/heads/q; ln -sfn "$SECRET_FOLDER" .git/objects/zz',
  ],
  ['a file that an included file includes', 'printf "[core]\\n\\tfsmonitor = $W/evil\\n" >> deeper.config'],
  ['a program that is configured', 'cp evil tools/filter'],
  ['a script that a hook is a link to', 'cp evil hook-script'],
  [
    'a link deep below where git writes',
    'D=.git/logs/refs/heads; for i in $(seq 70); do D=$D/d; done; mkdir -p $D && ln -s "$SECRET_FILE" $D/x',
  ],
  [
    'links where git writes when it packs',
    'mkdir -p .git/objects/info/commit-graphs; for f in info/commit-graph info/commit-graphs/commit-graph-chain info/alternates info/packs pack/multi-pack-index; do ln -sfn "$SECRET_FILE" .git/objects/$f; done',
  ],
  [
    'objects of another repository',
    'mkdir -p .git/objects/info; for f in alternates http-alternates; do echo "$SECRET_FOLDER" > .git/objects/info/$f; done',
  ],
  [
    'an index that names a hook',
    `node -e '
      const fs = require("fs");
      const index = fs.readFileSync(".git/index");
      const at = index.indexOf(Buffer.from("deeper.config"));
      index.write(".git/hooks/xx".slice(0, 13), at);
      const body = index.subarray(0, -20);
      fs.writeFileSync(".git/index", Buffer.concat([body, require("crypto").createHash("sha1").update(body).digest()]));'`,
  ],
  ['a pipe where git reads', 'mkfifo .git/refs/heads/pipe'],
  ['a file of rerere', 'printf "%040d.5\\t$SECRET_FILE\\0" 0 > .git/MERGE_RR'],
];

const PYTHON = '/usr/bin/python3';

/** Adds a file to the index, makes another index with a repository in it, and sends a descriptor of `.git` to the program at the socket. */
const GIVE_COPY_AWAY = `
cp .git/index .git/evil
GIT_INDEX_FILE=.git/evil git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),module
touch honest && git add honest
${PYTHON} -c 'import socket,os
s=socket.socket(socket.AF_UNIX); s.connect("socket"); socket.send_fds(s,[b"x"],[os.open(".git",os.O_RDONLY)]); s.recv(9)'`;

/** Waits for the file `go`, and puts the other index into its place. */
const EXCHANGE_INDEX = `
import socket,os,time
s=socket.socket(socket.AF_UNIX); s.bind("socket"); s.listen(1); c,_=s.accept(); fd=socket.recv_fds(c,10,1)[1][0]; c.send(b"x")
while not os.path.exists("go"): time.sleep(0.01)
os.rename("evil","index",src_dir_fd=fd,dst_dir_fd=fd); open("exchanged","w")`;

const AUTHOR = ['-c', 'user.name=a', '-c', 'user.email=a@b.c'];

/** Makes the workspace itself a repository whose configuration runs `evil`. */
const MAKE_REPOSITORY = [
  'mkdir -p objects refs/heads',
  'echo "ref: refs/heads/main" > HEAD',
  'printf "[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tworktree = .\\n\\tfsmonitor = $W/evil\\n" > config',
].join('; ');

describe.runIf(sandbox !== undefined)('git in the sandbox', () => {
  test('works: status, add, commit, branch, log; and what it did is there outside', async () => {
    const workspace = repository({ file: 'one' });
    const { stdout, stderr, exit } = await ended(
      confinedScript(
        workspace,
        'git checkout -q -b topic && echo two > file && git add . && git commit -q -m second && git status --short && git log --format=%s:%an',
      ),
    );
    expect({ stderr, exit }).toMatchObject({ stderr: '', exit: { exitCode: 0 } });
    expect(stdout).toBe('second:tester\nfirst:tester\n');
    expect(git(workspace, 'log', '--format=%s')).toBe('second\nfirst\n');
    expect(git(workspace, 'status', '--short', '--branch')).toBe('## topic\n');
    expect(git(workspace, 'fsck')).toBe('');
  });

  test('merges with a conflict in several commands', async () => {
    const workspace = repository({ file: 'one' });
    const { exit } = await ended(
      confinedScript(
        workspace,
        'git checkout -q -b a && echo a > file && git commit -qam a && git checkout -q - && echo b > file && git commit -qam b && git rebase a',
      ),
    );
    expect(exit).toMatchObject({ exitCode: 1 });
    expect(git(workspace, 'status')).toContain('rebase in progress');
    const next = await ended(
      confinedScript(workspace, 'echo ab > file && git add file && GIT_EDITOR=true git rebase --continue'),
    );
    expect(next.exit).toMatchObject({ exitCode: 0 });
    expect(git(workspace, 'log', '--format=%s')).toBe('b\na\nfirst\n');
    expect(git(workspace, 'status', '--short')).toBe('');
  });

  test('reads alone where the workspace is read-only', async () => {
    const workspace = repository({ file: 'one' });
    const { stdout, exit } = await ended(
      confinedScript(
        workspace,
        'git log --format=%s && git status --short && ! git commit -q --allow-empty -m x',
        {
          access: 'read-only',
        },
      ),
    );
    expect({ stdout, exit }).toMatchObject({ stdout: 'first\n', exit: { exitCode: 0 } });
  });

  test('reads a linked work tree', async () => {
    const main = repository({ file: 'one' });
    const workspace = path.join(temporaryFolder(), 'tree');
    git(main, 'worktree', 'add', '-q', workspace);
    const { stdout, exit } = await ended(
      confinedScript(workspace, `git log --format=%s && git status --short && ! cat ${main}/file`),
    );
    expect({ stdout, exit }).toMatchObject({ stdout: 'first\n', exit: { exitCode: 0 } });
  });

  test('does not show a folder because a file names it as a repository', async () => {
    const other = temporaryFolder({ HEAD: SECRET });
    const workspace = temporaryFolder({ '.git': `gitdir: ${other}\n` });
    const { stdout } = await ended(confinedScript(workspace, `cat ${other}/HEAD`, { access: 'read-only' }));
    expect(stdout).toBe('');
  });

  test('keeps what was changed outside meanwhile', async () => {
    const workspace = repository({ file: 'one' });
    const running = confinedScript(workspace, 'echo started; read word; echo in > inside; git add inside');
    const reading = new Promise<void>((resolve) =>
      running.pipe.open({ data: () => resolve(), end: () => {} }),
    );
    await reading;
    writeFiles(workspace, { outside: 'out' });
    git(workspace, 'add', 'outside');
    running.pipe.write(['go\n']);
    await running.gone;
    expect(git(workspace, 'status', '--short')).toBe('A  outside\n?? inside\n');
  });
});

describe.runIf(sandbox !== undefined)('what configures git and pluglot stays as it is', () => {
  test('against every attack, with and without files there', async () => {
    const workspace = hostileWorkspace();
    const before = snapshot(workspace);
    const batch = `for script; do ( cd "$W" && exec /bin/sh -c "$script" ) < /dev/null && echo "REACHED: $script"; done`;
    const { stdout } = await ended(
      confinedScript(workspace, batch, { args: attacks.map(([, script]) => script), env: { W: workspace } }),
    );
    expect(stdout).toBe('');
    expect(snapshot(workspace)).toEqual(before);
    expect(gitRunsNothing(workspace)).toBe(true);
  });

  test.each(later)('against %s', async (_, script) => {
    const workspace = hostileWorkspace();
    const before = snapshot(workspace);
    const outside = temporaryFolder({ todo: SECRET });
    await ended(
      confinedScript(workspace, script, {
        env: {
          W: workspace,
          SECRET_FILE: path.join(outside, 'todo'),
          SECRET_FOLDER: outside,
          MAKE_REPOSITORY,
        },
      }),
    );
    expect(snapshot(workspace)).toEqual(before);
    expect(gitRunsNothing(workspace)).toBe(true);
    expect(fs.readdirSync(outside)).toEqual(['todo']);
    expect(fs.readFileSync(path.join(outside, 'todo'), 'utf8')).toBe(SECRET);
    expect(
      execFileSync('find', ['.git', '-type', 'l', '-o', '-type', 'p'], { cwd: workspace }).toString(),
    ).toBe('.git/hooks/post-index-change\n');
    const files = fs.readdirSync(path.join(workspace, '.git'), { recursive: true, withFileTypes: true });
    const texts = files.flatMap((file) =>
      file.isFile() ? fs.readFileSync(path.join(file.parentPath, file.name), 'latin1') : [],
    );
    expect(texts.filter((text) => text.includes(SECRET))).toEqual([]);
    expect(files.filter(({ name }) => name.endsWith('alternates'))).toEqual([]);
  });

  test('while it is replaced outside', async () => {
    const workspace = hostileWorkspace();
    const running = confinedScript(
      workspace,
      'echo started; read word; printf "[core]\\n\\tfsmonitor = $W/evil\\n" >> .git/config; git config core.fsmonitor "$W/evil"; true',
      { env: { W: workspace } },
    );
    await new Promise<void>((resolve) => running.pipe.open({ data: () => resolve(), end: () => {} }));
    git(workspace, 'config', 'some.key', 'value');
    running.pipe.write(['go\n']);
    await running.gone;
    expect(git(workspace, 'config', 'some.key')).toBe('value\n');
    expect(gitRunsNothing(workspace)).toBe(true);
  });

  test('where the repository is a folder of the workspace under another name', async () => {
    const workspace = temporaryFolder({
      evil: (file: string) => fs.writeFileSync(file, EVIL, { mode: 0o755 }),
    });
    git(workspace, 'init', '-q', '-b', 'main', '--separate-git-dir', path.join(workspace, '.bare'));
    const { stdout } = await ended(
      confinedScript(
        workspace,
        'printf "[core]\\n\\tfsmonitor = $W/evil\\n" >> .bare/config && echo written; mv .bare b && echo moved; true',
        { env: { W: workspace } },
      ),
    );
    expect(stdout).toBe('');
    git(workspace, 'status');
    expect(fs.existsSync(path.join(workspace, 'RAN'))).toBe(false);
  });

  test('where a submodule has one of its own, and where the index is split', async () => {
    const workspace = hostileWorkspace();
    const sub = path.join(workspace, 'sub');
    git(sub, 'init', '-q', 'inner');
    git(path.join(sub, 'inner'), ...AUTHOR, 'commit', '-q', '--allow-empty', '-m', 'x');
    git(sub, 'add', 'inner');
    git(workspace, 'update-index', '--split-index');
    const { stdout } = await ended(
      confinedScript(
        workspace,
        'for d in sub/inner sub; do mv $d/.git $d/g && echo "moved $d"; echo x >> $d/.git/config && echo "wrote $d"; done; true',
      ),
    );
    expect(stdout).toBe('');
  });

  test('where the workspace is a folder of the repository', async () => {
    const root = repository({ 'src/hooks/README': '', 'src/more.config': '', 'src/file': '' });
    git(root, 'config', 'core.hooksPath', 'src/hooks');
    git(root, 'config', 'include.path', '../src/more.config');
    git(root, 'init', '-q', 'src/sub');
    git(path.join(root, 'src/sub'), ...AUTHOR, 'commit', '-q', '--allow-empty', '-m', 'x');
    git(root, 'add', 'src/sub');
    const { stdout } = await ended(
      confinedScript(
        path.join(root, 'src'),
        'for f in hooks/pre-commit more.config sub/.git/config; do echo x >> $f && echo "wrote $f"; done; mv sub/.git g && echo moved; true',
      ),
    );
    expect(stdout).toBe('');
  });

  test('where the repository names files of another folder that is writable', async () => {
    const workspace = repository({ file: '' });
    const other = temporaryFolder({ 'hooks/README': '', 'more.config': '' });
    git(workspace, 'config', 'core.hooksPath', path.join(other, 'hooks'));
    git(workspace, 'config', 'include.path', path.join(other, 'more.config'));
    const { stdout } = await ended(
      confinedScript(
        workspace,
        'for f in hooks/pre-commit more.config; do echo x >> "$O/$f" && echo "wrote $f"; done; echo x > "$O/new" && echo new; true',
        { env: { O: other }, folders: [{ path: other, access: 'writable' }] },
      ),
    );
    expect(stdout).toBe('new\n');
  });

  test('where a workspace that is read-only names files of another folder that is writable', async () => {
    const workspace = repository({ file: '' });
    const other = temporaryFolder({ 'hooks/pre-commit': '' });
    git(workspace, 'config', 'core.hooksPath', path.join(other, 'hooks'));
    const { stdout } = await ended(
      confinedScript(
        workspace,
        'echo x > "$O/hooks/pre-commit" && echo wrote; echo x > "$O/new" && echo new',
        {
          access: 'read-only',
          env: { O: other },
          folders: [{ path: other, access: 'writable' }],
        },
      ),
    );
    expect(stdout).toBe('new\n');
  });

  test('in a folder that another program is given', async () => {
    const workspace = repository({ file: '', 'notes/file': '' });
    const notes = path.join(workspace, 'notes');
    git(notes, 'init', '-q');
    const own = { kept: [], hidden: [], hiddenFiles: [] };
    const found = await findSandbox({ env: process.env, home, own: () => own, writable: () => [notes] });
    if (!isSandbox(found)) throw new Error('There is no sandbox here.');
    const script =
      'mv notes/.git notes/g && echo moved; echo x > notes/.git/config && echo wrote; mkdir notes/pluglot.json/x && echo made; mv notes n && echo renamed; echo x > notes/new && echo new; true';
    const program = {
      command: '/bin/sh',
      args: ['-c', script],
      cwd: workspace,
      env: { PATH: process.env['PATH'] },
    };
    const confinement = { workspace, access: 'writable', network: false } as const;
    expect((await ended(spawn(found.confine(program, confinement)))).stdout).toBe('new\n');
  });

  test('where the repository itself is exchanged while a program runs', async () => {
    const workspace = repository({ file: '' });
    const other = repository({ file: '' });
    fs.symlinkSync('x', path.join(other, '.git/objects/link'));
    const before = snapshot(other);
    const args = ['-c', 'echo evil > .git/packed-refs; echo evil > .git/MERGE_MSG'];
    const { enclosure } = confined({ command: '/bin/sh', args, cwd: workspace, env: {} }, { workspace });
    if (enclosure === undefined) throw new Error('It is not confined.');
    const entered = enclosure.enter(temporaryFolder(), () => {});
    await ended(spawn(entered.program));
    fs.renameSync(path.join(workspace, '.git'), path.join(workspace, 'g'));
    fs.symlinkSync(path.join(other, '.git'), path.join(workspace, '.git'));
    expect(await entered.leave()).toContain('was replaced while the program ran');
    expect(snapshot(other)).toEqual(before);
    expect(fs.existsSync(path.join(other, '.git/MERGE_MSG'))).toBe(false);
    expect(fs.readlinkSync(path.join(other, '.git/objects/link'))).toBe('x');
  });

  test.runIf(fs.existsSync(PYTHON))(
    'where another program was given the copy, and exchanges the index after it was checked',
    async () => {
      const workspace = repository({ file: '' });
      const reached = (name: string) => fs.existsSync(path.join(workspace, name));
      const other = confinedScript(workspace, `exec ${PYTHON} -c "$1"`, { args: [EXCHANGE_INDEX] });
      await expect.poll(() => reached('socket')).toBe(true);
      const args = ['-c', GIVE_COPY_AWAY];
      const env = { PATH: process.env['PATH'], HOME: home };
      const { enclosure } = confined({ command: '/bin/sh', args, cwd: workspace, env }, { workspace });
      if (enclosure === undefined) throw new Error('It is not confined.');
      const entered = enclosure.enter(temporaryFolder(), () => {});
      await ended(spawn(entered.program));
      const { openSync } = fs;
      vi.spyOn(fs, 'openSync').mockImplementation((file, ...rest) => {
        // The index was checked, and is about to be taken over.
        if (path.basename(String(file)) === 'index.lock' && !reached('go')) {
          fs.writeFileSync(path.join(workspace, 'go'), '');
          for (let look = 0; look < 1000 && !reached('exchanged'); look += 1)
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
        }
        return openSync(file, ...rest);
      });
      onTestFinished(() => void vi.restoreAllMocks());
      expect(await entered.leave()).toBe('');
      await ended(other);
      expect(reached('exchanged')).toBe(true);
      expect(git(workspace, 'ls-files', '-s')).toContain('honest');
      expect(git(workspace, 'ls-files', '-s')).not.toContain('160000');
    },
  );

  test('where there is no repository, and the configuration of the user names a file of the workspace', async () => {
    const workspace = temporaryFolder({ 'more.config': '', file: '' });
    const config = path.join(home, '.gitconfig');
    fs.writeFileSync(config, `[include]\n\tpath = ${path.join(workspace, 'more.config')}\n`);
    try {
      const script = 'for f in more.config file; do echo x >> $f && echo "wrote $f"; done; true';
      expect((await ended(confinedScript(workspace, script))).stdout).toBe('wrote file\n');
    } finally {
      fs.rmSync(config);
    }
  });

  test('where there is no repository: none can be made', async () => {
    const workspace = temporaryFolder({ evil: (file) => fs.writeFileSync(file, EVIL, { mode: 0o755 }) });
    const { stdout } = await ended(
      confinedScript(
        workspace,
        'git init -q . && echo made; mkdir .git/x && echo made; rmdir .git/* .git; mkdir .git && echo made; git init -q --bare .; echo "ref: refs/heads/x" > HEAD && echo made; true',
      ),
    );
    expect(stdout).toBe('');
    expect(fs.existsSync(path.join(workspace, '.git'))).toBe(false);
    expect(() => git(workspace, 'rev-parse', '--git-dir')).toThrow('not a git repository');
  });

  test.each(['.git', 'pluglot.json', '.mcp.json'])(
    'where %s is a link the workspace is not made writable',
    (name) => {
      const workspace = temporaryFolder({ [name]: link('/nowhere') });
      return expect(confinedScript(workspace, 'true').exited).resolves.toMatchObject({
        kind: 'not-started',
        error: { code: 'CONFIG_INVALID', message: expect.stringContaining('is a link') as string },
      });
    },
  );
});

describe.runIf(sandbox !== undefined)('what a program wrote shows the next one nothing more', () => {
  test('by a repository that names another folder as its own', async () => {
    const other = temporaryFolder({ secret: SECRET });
    const workspace = temporaryFolder({ file: '' });
    const data = temporaryFolder({
      '.git': 'gitdir: g\n',
      'g/config': '[core]\n\tworktree = ..\n',
      'g/commondir': `${other}\n`,
    });
    for (const isOwn of [true, false])
      expect(
        await ended(
          confinedScript(workspace, `cat ${other}/secret`, {
            folders: [{ path: data, access: 'writable', isOwn }],
          }),
        ),
      ).toMatchObject({ stdout: '' });
  });

  test.each(['/proc/self/root/bin/sh', 'OTHER/bin/sh', 'OTHER/sh'])(
    'by a script that names %s as its interpreter',
    async (interpreter) => {
      const other = temporaryFolder({ secret: SECRET, 'bin/sh': link('/bin/sh'), sh: link('/bin/sh') });
      const script = `#!${interpreter.replace('OTHER', other)}\ncat ${other}/secret; cat ${other}/bin/../secret; ls /run\n`;
      const workspace = temporaryFolder({
        script: (file: string) => fs.writeFileSync(file, script, { mode: 0o755 }),
      });
      const command = path.join(workspace, 'script');
      const program = { command, args: [], cwd: workspace, env: { PATH: process.env['PATH'], HOME: home } };
      const { stdout } = await ended(spawn(confined(program, { workspace })));
      expect(stdout).toBe('');
    },
  );

  test('by a pipe, which to read would take for ever', async () => {
    const workspace = temporaryFolder({ pipe: namedPipe() });
    const data = temporaryFolder({ '.git': namedPipe() });
    fs.writeFileSync(path.join(workspace, 'script'), `#!${workspace}/pipe\n`, { mode: 0o755 });
    const folders = [{ path: data, access: 'writable' }] as const;
    const first = await ended(confinedScript(workspace, 'echo done', { folders }));
    expect(first).toMatchObject({
      stdout: 'done\n',
    });
    const program = { command: path.join(workspace, 'script'), cwd: workspace, env: { HOME: home } };
    expect((await spawn(confined(program, { workspace })).exited).kind).not.toBe('not-started');
  });
});

describe.runIf(sandbox !== undefined)('nothing is left in the workspace', () => {
  test('by one program, and by many at once', async () => {
    const workspace = temporaryFolder({ file: '' });
    const runs = Array.from({ length: 8 }, (_, index) =>
      ended(
        confinedScript(
          workspace,
          `sleep 0.0${index}; echo '{}' > pluglot.json && echo made; mkdir .git/x && echo made`,
        ),
      ),
    );
    expect((await Promise.all(runs)).map(({ stdout }) => stdout).join('')).toBe('');
    expect(fs.readdirSync(workspace)).toEqual(['file']);
  });

  test('and empty folders of the user stay', async () => {
    const workspace = repository({ file: '' });
    fs.mkdirSync(path.join(workspace, 'tools'));
    git(workspace, 'config', 'filter.a.clean', './tools/a');
    git(workspace, 'config', 'filter.b.clean', './tools/b');
    await Promise.all([1, 2, 3].map(() => ended(confinedScript(workspace, 'true'))));
    expect(fs.readdirSync(path.join(workspace, 'tools'))).toEqual([]);
  });

  test('while a program runs, nothing that git sees', async () => {
    const workspace = repository({ file: 'one' });
    const running = confinedScript(workspace, 'echo started; read word');
    await new Promise<void>((resolve) => running.pipe.open({ data: () => resolve(), end: () => {} }));
    expect(git(workspace, 'status', '--short')).toBe('');
    await running.stop();
    expect(fs.readdirSync(workspace)).toEqual(['.git', 'file']);
  });

  test('of hosts that were killed with all that cleans up after them', async () => {
    const workspace = temporaryFolder({ file: '' });
    for (const name of ['pluglot.json', '.git'])
      fs.mkdirSync(path.join(workspace, name, 'pluglot-999999999-1-00000000-0123abcd'), { recursive: true });
    const { stdout } = await ended(confinedScript(workspace, `echo '{}' > pluglot.json && echo made`));
    expect(stdout).toBe('');
    expect(fs.readdirSync(workspace)).toEqual(['file']);
  });
});

function repository(files: Readonly<Record<string, Content>>): string {
  const workspace = temporaryFolder(files);
  git(workspace, 'init', '-q', '-b', 'main');
  git(workspace, 'config', 'user.name', 'tester');
  git(workspace, 'config', 'user.email', 'tester@example.com');
  git(workspace, 'add', '.');
  git(workspace, 'commit', '-q', '-m', 'first');
  return workspace;
}

/** With hooks and configuration in the workspace, a submodule that is there, one that is not, and one with its repository elsewhere. */
function hostileWorkspace(): string {
  const workspace = repository({
    file: 'one',
    'my-hooks/README': '',
    'more.config': '[include] path = deeper.config\n',
    'deeper.config': '[filter "f"]\n\tclean = ./tools/filter\n',
    '.gitattributes': 'file filter=f\n',
    'tools/filter': (file: string) => fs.writeFileSync(file, '#!/bin/sh\ncat\n', { mode: 0o755 }),
    'permissions.json': '{}',
  });
  fs.writeFileSync(path.join(workspace, 'evil'), EVIL, { mode: 0o755 });
  git(workspace, 'config', 'core.hooksPath', 'my-hooks');
  git(workspace, 'config', 'include.path', '../more.config');
  fs.writeFileSync(path.join(workspace, 'hook-script'), '#!/bin/sh\n', { mode: 0o755 });
  fs.symlinkSync('../../hook-script', path.join(workspace, '.git/hooks/post-index-change'));
  for (const name of ['sub', 'empty', 'apart']) {
    git(workspace, 'init', '-q', ...(name === 'apart' ? ['--separate-git-dir=apart-git'] : []), name);
    git(
      path.join(workspace, name),
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@b.c',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'x',
    );
    git(workspace, 'add', name);
  }
  fs.rmSync(path.join(workspace, 'empty', '.git'), { recursive: true });
  return workspace;
}

function gitRunsNothing(workspace: string): boolean {
  git(workspace, 'status');
  git(workspace, 'diff');
  git(workspace, '-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-q', '--allow-empty', '-m', 'x');
  return !fs.existsSync(path.join(workspace, 'RAN'));
}

/** What protected files and folders hold. */
function snapshot(workspace: string): Record<string, string> {
  const files = [
    '.git/config',
    '.git/commondir',
    '.git/config.worktree',
    '.git/index',
    'more.config',
    'deeper.config',
    'tools/filter',
    'hook-script',
    '.git/HEAD',
    '.git/MERGE_RR',
    'sub/.git/config',
    ...OWN_FILES,
  ];
  const folders = ['.git/hooks', '.git/rebase-merge', '.git/sequencer', 'my-hooks', 'empty'];
  return Object.fromEntries([
    ...files.map(
      (name) => [name, attempt(() => fs.readFileSync(path.join(workspace, name), 'latin1'))] as const,
    ),
    ...folders.map(
      (name) => [name, attempt(() => fs.readdirSync(path.join(workspace, name)).join())] as const,
    ),
  ]);
}

function attempt(look: () => string): string {
  try {
    return look();
  } catch (thrown) {
    return String(thrown instanceof Error && 'code' in thrown ? thrown.code : thrown);
  }
}

function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
