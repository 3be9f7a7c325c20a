// What pluglot reads and keeps stays out of reach of confined programs, wherever the configuration puts it.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRuntime } from '../../src/runtime/create-runtime.ts';
import { sandbox } from '../support/gate/confined.ts';
import { type Content, link, temporaryFolder, writeFiles } from '../support/temporary-folder.ts';

const OPEN = { version: '1.0', defaultPolicy: 'allow' };
const RULES = { version: '1.0', defaultPolicy: 'deny', allow: ['sh *'] };

describe.runIf(sandbox !== undefined)('a file that rules or configuration are read from', () => {
  const files: readonly (readonly [what: string, file: string, setup: Setup])[] = [
    ['gate.permissions of the user', 'rules/my.json', { gate: { permissions: '../project/rules/my.json' } }],
    ['the same, deeper', 'a/b/my.json', { gate: { permissions: '../project/a/b/my.json' } }],
    ['PERMISSION_CONFIG_PATH', 'named.json', { env: { PERMISSION_CONFIG_PATH: 'named.json' } }],
    ['.permissions.json', '.permissions.json', {}],
    [
      'gate.permissions of the project',
      'rules/permissions.json',
      { files: { 'project/pluglot.json': { gate: { permissions: './rules/permissions.json' } } } },
    ],
    ['--config', 'conf/other.json', { configFile: 'conf/other.json' }],
    ['REFERENCES_CONFIG_PATH', 'refs/r.json', { env: { REFERENCES_CONFIG_PATH: 'refs/r.json' } }],
    [
      'config_path of the references',
      'refs/r.json',
      { plugins: { references: { config: { config_path: 'refs/r.json' } } } },
    ],
    [
      'a link outside that leads into the project',
      'rules/my.json',
      { gate: { permissions: '../linked/my.json' }, files: { linked: link('project/rules') } },
    ],
    [
      'a link in the folder of the user',
      'dotfiles/rules.json',
      { files: { 'pluglot/references.json': link('../project/dotfiles/rules.json') } },
    ],
  ];

  test.each(files)('%s cannot be written, replaced, removed or moved: %s', async (_, file, setup) => {
    const { project, run } = await world({ ...setup, files: { ...setup.files, [`project/${file}`]: RULES } });
    const [top = ''] = file.split('/');
    await run(
      `echo x > ${file}; rm -f ${file}; mv ${file} moved; echo y > new; mv new ${file}; mv ${top} top-2; mkdir -p ${path.dirname(file)}; echo z > ${file}; ln -f new ${file}`,
    );
    expect(JSON.parse(fs.readFileSync(path.join(project, file), 'utf8'))).toEqual(RULES);
    expect(fs.existsSync(path.join(project, 'top-2'))).toBe(false);
  });

  // Without a named file of rules everything is denied, and nothing runs.
  test.each(
    files.filter(([, , { gate, env, configFile, files: given }]) =>
      [gate, env?.['PERMISSION_CONFIG_PATH'], configFile, given].every((one) => one === undefined),
    ),
  )('%s cannot be created where it is not there: %s', async (_, file, setup) => {
    const { project, run } = await world(setup);
    await run(`mkdir -p ${path.dirname(file)}; echo z > ${file}; echo ran > ran`);
    expect(fs.existsSync(path.join(project, file))).toBe(false);
    expect(fs.existsSync(path.join(project, 'ran'))).toBe(true);
  });

  test('is kept in every folder between the current one and the root of the repository', async () => {
    const folders = { '..': 'writable' };
    const { home, run } = await world({
      files: { 'project/.git/HEAD': 'ref: refs/heads/main\n', 'project/sub/deep/file': '' },
      cwd: 'project/sub/deep',
      rules: { ...RULES, allow: [{ rule: 'sh *', folders }] },
    });
    await run('echo x > ../permissions.json; echo x > ../.permissions.json; echo x > ../other');
    expect(fs.readdirSync(path.join(home, 'project/sub')).toSorted()).toEqual(['deep', 'other']);
  });

  test('that is reached by a link in the project keeps programs from starting', async () => {
    const { run, project } = await world({
      gate: { permissions: '../project/rules/my.json' },
      files: { 'project/real/my.json': RULES, 'project/rules': link('real') },
    });
    expect(await run('echo ran > ran')).toContain('is a link, which cannot be protected');
    expect(fs.existsSync(path.join(project, 'ran'))).toBe(false);
  });

  test('is kept once the configuration names it, without a new start', async () => {
    const { home, project, run, configure } = await world({ files: { 'project/late.json': OPEN } });
    await run('echo 1 > late.json');
    expect(fs.readFileSync(path.join(project, 'late.json'), 'utf8')).toBe('1\n');
    writeFiles(home, { 'project/late.json': RULES });
    configure({ gate: { permissions: '../project/late.json' } });
    await run('echo 2 > late.json');
    expect(JSON.parse(fs.readFileSync(path.join(project, 'late.json'), 'utf8'))).toEqual(RULES);
  });
});

describe.runIf(sandbox !== undefined)('a folder in which pluglot keeps things or takes answers', () => {
  const folders: readonly (readonly [what: string, folder: string, setup: Setup])[] = [
    ['answers', 'approvals', { gate: { approver: { type: 'file', folder: '../project/approvals' } } }],
    [
      'answers, deeper',
      'a/approvals',
      { gate: { approver: { type: 'file', folder: '../project/a/approvals' } } },
    ],
    ['answers by the rules', 'asked', { rules: { ...RULES, channel: { type: 'file', base_path: 'asked' } } }],
    [
      'answers on references',
      'chosen',
      {
        plugins: {
          references: { config: { channel_type: 'file', channel_config: { base_path: 'chosen' } } },
        },
      },
    ],
    ['the audit log', 'log/audit', { gate: { audit: { folder: '../project/log/audit' } } }],
    ['the folder of the user', 'own/pluglot', { pluglotHome: 'project/own/pluglot' }],
  ];

  test.each(folders)('%s is hidden and cannot be moved: %s', async (_, folder, setup) => {
    const { project, run } = await world({ ...setup, files: { [`project/${folder}/kept`]: 'secret-text' } });
    const [top = ''] = folder.split('/');
    const printed = await run(
      `cat ${folder}/kept; ls ${folder}; echo x > ${folder}/kept; mkdir -p ${folder}/responses; echo x > ${folder}/responses/1.json; mv ${folder} moved; mv ${top} top-2; mkdir -p ${folder}; echo x > ${folder}/kept; cat */kept`,
    );
    expect(printed).not.toContain('secret-text');
    expect(fs.readFileSync(path.join(project, folder, 'kept'), 'utf8')).toBe('secret-text');
    expect(fs.existsSync(path.join(project, folder, 'responses/1.json'))).toBe(false);
    expect(fs.readdirSync(project)).not.toContain('top-2');
  });

  test.each(folders)('%s cannot be made by a confined program: %s', async (_, folder, setup) => {
    const { project, run } = await world(setup);
    await run(`mkdir -p ${folder}/responses; echo x > ${folder}/responses/1.json`);
    expect(fs.existsSync(path.join(project, folder, 'responses/1.json'))).toBe(false);
  });

  test.each([true, false])(
    'the file that the head of the log is sent to, which is there: %s',
    async (isThere) => {
      const { project, run } = await world({
        gate: { audit: { sendHead: { file: '../project/heads/file' } } },
        files: { 'project/heads/other': '', ...(isThere && { 'project/heads/file': '' }) },
      });
      const printed = await run(
        'cat heads/file; echo x > heads/file; rm -f heads/file; mv heads heads-2; mkdir -p heads; echo x >> heads/file',
      );
      expect(printed).not.toContain('"seq"');
      expect(fs.readFileSync(path.join(project, 'heads/file'), 'utf8')).not.toMatch(/^x$/m);
      expect(fs.readdirSync(project)).not.toContain('heads-2');
    },
  );

  test('a program cannot answer its own question', async () => {
    const { project, run, ask } = await world({
      gate: { approver: { type: 'file', folder: '../project/approvals', timeoutMs: 1500 } },
      rules: { ...RULES, defaultPolicy: 'ask' },
    });
    const answers = `i=0; while [ $i -lt 40 ]; do for f in approvals/requests/*.json; do n=$(basename $f .json); mkdir -p approvals/responses; echo "{\\"id\\":\\"$n\\",\\"decision\\":\\"allow\\"}" > approvals/responses/$n.json; done; sleep 0.05; i=$((i+1)); done`;
    const [, asked] = await Promise.all([run(answers), ask('touch outside')]);
    expect(asked).toContain('PERMISSION_DENIED');
    expect(fs.existsSync(path.join(project, 'outside'))).toBe(false);
  });
});

describe.runIf(sandbox !== undefined)('a confined plugin', () => {
  test('sees no question, also where it only reads the project and the folder comes later', async () => {
    const { project, runtime } = await world({
      gate: { approver: { type: 'file', folder: '../project/approvals' } },
      files: { 'tools/server.mjs': SERVER },
      plugins: {
        confined: { command: 'node', args: ['../tools/server.mjs'], dialect: 'mcp', sandbox: true },
      },
    });
    await runtime.start('confined');
    writeFiles(project, { 'approvals/requests/1.json': '{}', other: 'text' });
    const read = async (file: string) => {
      const args = { read: path.join(project, file) };
      return JSON.stringify(await runtime.call('confined__write', args, { caller: { kind: 'user' } }));
    };
    expect(await read('other')).toContain('text');
    expect(await read('approvals/requests/1.json')).toContain('ENOENT');
  });

  test('neither changes the rules nor sees the answers in a folder that it can write to', async () => {
    const { home, project, runtime } = await world({
      gate: {
        permissions: '../project/rules/my.json',
        approver: { type: 'file', folder: '../project/approvals' },
      },
      files: { 'project/rules/my.json': RULES, 'tools/server.mjs': SERVER },
      plugins: {
        confined: {
          command: 'node',
          args: ['../tools/server.mjs'],
          dialect: 'mcp',
          sandbox: { folders: { '../project': 'writable' } },
        },
      },
    });
    await runtime.start('confined');
    const write = async (file: string) => {
      const args = { file: path.join(home, 'project', file) };
      return JSON.stringify(await runtime.call('confined__write', args, { caller: { kind: 'user' } }));
    };
    expect(await write('other')).toContain('written');
    expect(await write('rules/my.json')).toContain('EROFS');
    expect(await write('.permissions.json')).toMatch(/EROFS|EISDIR/);
    expect(await write('approvals/responses/1.json')).toMatch(/EROFS|ENOENT/);
    expect(JSON.parse(fs.readFileSync(path.join(project, 'rules/my.json'), 'utf8'))).toEqual(RULES);
  });
});

describe.runIf(sandbox !== undefined)('a confined plugin that starts again', () => {
  test.each([
    ['its working folder', 'mv cw cw2; ln -s ../outside cw'],
    ['its script', 'rm srv/server.mjs; ln -s ../../outside/server.mjs srv/server.mjs'],
    ['the folder of its script', 'mv srv srv2; ln -s ../outside srv'],
    ['a file that it is given', 'rm srv/data.json; ln -s ../../outside/secret srv/data.json'],
  ])('is not shown what a command put in the place of %s', async (_, exchange) => {
    const { runtime, run } = await world({
      files: {
        'project/cw/x': '',
        'project/srv/server.mjs': SERVER,
        'project/srv/data.json': '{}',
        'outside/server.mjs': SERVER,
        'outside/secret': 'secret-text',
      },
      plugins: {
        confined: {
          command: 'node',
          args: ['../srv/server.mjs', '../srv/data.json'],
          cwd: '../project/cw',
          dialect: 'mcp',
          sandbox: true,
        },
      },
    });
    await runtime.start('confined');
    await run(exchange);
    await runtime.stop('confined');
    await expect(runtime.start('confined')).rejects.toThrow(
      'is a link in a folder that confined programs can write to',
    );
  });
});

describe.runIf(sandbox !== undefined)('folders that are granted in one another', () => {
  const grants = (...folders: string[]) => ({
    plugins: Object.fromEntries(
      folders.map((folder, index) => [
        `other${index}`,
        {
          command: 'true',
          sandbox: { folders: { [`../project/${folder}`]: 'writable' } },
          disabled: true,
        },
      ]),
    ),
  });

  test.each<readonly [what: string, setup: Setup]>([
    ['by a plugin', grants('a/b/c')],
    ['by plugins, on several levels', grants('a/b', 'a/b/c')],
    ['by a plugin, with dots and slashes', grants('a/./x/../b//c/')],
    ['by another rule', { rules: { ...RULES, allow: ['sh *', grant('make', { 'a/b/c': 'writable' })] } }],
    ['by the same rule', { rules: { ...RULES, allow: [grant('sh *', { 'a/b/c': 'writable' })] } }],
    [
      'by the same rule, to be read',
      { rules: { ...RULES, allow: [grant('sh *', { 'a/b/c': 'read-only' })] } },
    ],
  ])('stay where they are, with all above them: %s', async (_, setup) => {
    const { project, run } = await world({
      ...setup,
      files: { 'project/a/b/c/.git/config': '', 'project/a/x/y': '', 'project/a/b/file': '' },
    });
    const printed = await run(
      `perl -e 'mkdir "empty"; for (@ARGV) { print "renamed $_\\n" if rename($_, "moved") || rename($_, "$_-2") || rename("empty", $_) || rmdir($_); }' a a/b a/b/c; rm -rf a; echo x >> a/b/c/.git/config; echo x > a/b/new; echo ran`,
    );
    expect(printed).toContain('"stdout":"ran\\n"');
    expect(fs.readFileSync(path.join(project, 'a/b/c/.git/config'), 'utf8')).toBe('');
    expect(fs.existsSync(path.join(project, 'a/b/new'))).toBe(true);
  });

  test('do not open what is closed to others: what git runs, and a repository', async () => {
    const { project, run } = await world({
      ...grants('.husky/own', '.git/hooks', '.git/mine/x'),
      files: {
        'project/.git/HEAD': 'ref: refs/heads/main\n',
        'project/.git/config': '[core]\n\thooksPath = .husky\n',
        'project/.git/objects/x': '',
        'project/.git/refs/x': '',
        'project/.git/hooks/pre-commit': 'kept',
        'project/.git/mine/x/file': 'kept',
        'project/.husky/own/file': 'kept',
      },
    });
    const files = ['.git/hooks/pre-commit', '.git/mine/x/file', '.husky/own/file'];
    await run(
      `for f in ${files.join(' ')}; do echo x > $f; rm -f $f; done; echo x > .husky/own/new; echo x > new`,
    );
    for (const file of files) expect(fs.readFileSync(path.join(project, file), 'utf8')).toBe('kept');
    expect(fs.readdirSync(path.join(project, '.husky/own'))).toEqual(['file']);
    expect(fs.existsSync(path.join(project, 'new'))).toBe(true);
  });
});

describe.runIf(sandbox !== undefined)('keys and tokens in a writable folder', () => {
  const FOLDERS = { '~/.local': 'writable', '~/.config': 'writable', '~/.cargo': 'writable' };
  const rules = { ...RULES, allow: [grant('sh *', FOLDERS)] };
  const files = {
    '.local/share/keyrings/login': 'secret-text',
    '.config/gh/hosts.yml': 'secret-text',
    '.cargo/credentials.toml': 'secret-text',
  };

  test('stay hidden, and neither they nor the folders above them are renamed', async () => {
    const { home, run } = await world({ rules, files });
    const moves = `mv .local/share .local/s2; mv .local/share/keyrings .local/k; mv .config/gh .config/g; mv .cargo/credentials.toml .cargo/c; rm -rf .config/gh .local/share`;
    for (const _ of [1, 2])
      expect(await run(`cd '${home}'; ${moves}; grep -rs secret-text .local .config .cargo`)).not.toContain(
        'secret-text',
      );
    for (const file of Object.keys(files))
      expect(fs.readFileSync(path.join(home, file), 'utf8')).toBe('secret-text');
  });

  test('are not made by the program, and hidden once they are there', async () => {
    const { home, runtime } = await world({
      files: {
        'tools/server.mjs': SERVER,
        '.local/x': '',
        '.config/x': '',
        '.cargo/x': '',
      },
      plugins: {
        confined: {
          command: 'node',
          args: ['../tools/server.mjs'],
          dialect: 'mcp',
          sandbox: { folders: FOLDERS },
        },
      },
    });
    await runtime.start('confined');
    const call = async (args: Readonly<Record<string, string>>) =>
      JSON.stringify(await runtime.call('confined__write', args, { caller: { kind: 'user' } }));
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(home, name);
      expect(await call({ file })).toMatch(/EROFS|EACCES|ENOENT|EISDIR/);
      // What is written over stays the same file.
      writeFiles(home, { [name]: text });
      expect(await call({ read: file })).not.toContain('secret-text');
    }
    expect(fs.existsSync(path.join(home, '.cargo/credentials'))).toBe(false);
    expect(await call({ file: path.join(home, '.config/new') })).toContain('written');
  });

  test('that a link in it leads to keep programs from starting', async () => {
    const { run } = await world({
      rules: { ...RULES, allow: [grant('sh *', { '~/.config': 'writable' })] },
      files: { '.config/gh': link('../project/gh'), 'project/gh/hosts.yml': 'secret-text' },
    });
    expect(await run('cat gh/hosts.yml')).toContain('is a link, which cannot be protected');
  });

  test('of the user that a link leads to in the project stay hidden there', async () => {
    const { project, run } = await world({
      files: {
        '.npmrc': link('project/dot/npmrc'),
        'project/dot/npmrc': 'secret-text',
        '.ssh': link('project/dot/ssh'),
      },
    });
    for (const _ of [1, 2])
      expect(
        await run(
          'mv dot dot-2; mv dot/npmrc n; cat n dot/npmrc dot-2/npmrc; mkdir -p dot/ssh; echo x > dot/ssh/id',
        ),
      ).not.toContain('secret-text');
    expect(fs.readFileSync(path.join(project, 'dot/npmrc'), 'utf8')).toBe('secret-text');
    expect(fs.readdirSync(path.join(project, 'dot/ssh'))).toEqual([]);
  });
});

function grant(rule: string, folders: Readonly<Record<string, string>>) {
  return { rule, folders };
}

describe.runIf(sandbox !== undefined)('a rule that runs a program outside of the sandbox', () => {
  test('finds none in a folder that another rule, or a plugin, can write to', async () => {
    const evil = (file: string) => fs.writeFileSync(file, '#!/bin/sh\necho ran-outside\n', { mode: 0o755 });
    const { run, ask } = await world({
      files: { 'tools/bin/dockerx': evil, 'cache/bin/dockery': evil, 'safe/bin/dockerz': evil },
      plugins: {
        other: { command: 'true', sandbox: { folders: { '../cache': 'writable' } }, disabled: true },
      },
      rules: {
        ...RULES,
        allow: [
          { rule: 'sh *', folders: { '../tools': 'writable' } },
          ...['dockerx', 'dockery', 'dockerz'].map((name) => ({ rule: name, unsandboxed: true })),
        ],
      },
      path: ['tools/bin', 'cache/bin', 'safe/bin'],
    });
    await run('true');
    expect(await ask('dockerx')).not.toContain('ran-outside');
    expect(await ask('dockery')).not.toContain('ran-outside');
    expect(await ask('dockerz')).toContain('ran-outside');
  });
});

/** An MCP server in plain Node whose tool writes a file, or reads one. */
const SERVER = `
import fs from 'node:fs';
import readline from 'node:readline';
function answer({ method, params }) {
  if (method === 'initialize') return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'write', version: '1.0.0' } };
  if (method === 'tools/list') return { tools: [{ name: 'write', inputSchema: { type: 'object' } }] };
  if (method !== 'tools/call') return {};
  try {
    const { read, file } = params.arguments;
    if (read !== undefined) return { content: [{ type: 'text', text: fs.readFileSync(read, 'utf8') }] };
    fs.writeFileSync(file, 'x');
    return { content: [{ type: 'text', text: 'written' }] };
  } catch (error) {
    return { content: [{ type: 'text', text: error.code }], isError: true };
  }
}
readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: answer(message) }));
});
`;

interface Setup {
  readonly gate?: object;
  readonly plugins?: Readonly<Record<string, object>>;
  /** Of the user. */
  readonly rules?: object;
  readonly env?: Readonly<Record<string, string>>;
  readonly configFile?: string;
  readonly files?: Readonly<Record<string, Content>>;
  readonly cwd?: string;
  readonly pluglotHome?: string;
  /** Folders before those of PATH. */
  readonly path?: readonly string[];
}

/** A host whose rules let a model run `sh` in the sandbox. */
async function world(setup: Setup) {
  const { gate = {}, plugins = {}, rules = RULES, pluglotHome = 'pluglot', configFile } = setup;
  const home = temporaryFolder({ 'project/file': '', ...setup.files });
  const configure = (config: object) =>
    writeFiles(home, { [`${pluglotHome}/pluglot.json`]: { plugins, ...config } });
  configure({ gate: gate });
  writeFiles(home, { [`${pluglotHome}/permissions.json`]: rules });
  const searchPath = [...(setup.path ?? []).map((one) => path.join(home, one)), process.env['PATH']].join(
    ':',
  );
  const env = { PATH: searchPath, HOME: home, PLUGLOT_HOME: path.join(home, pluglotHome), ...setup.env };
  const runtime = await createRuntime({
    cwd: path.join(home, setup.cwd ?? 'project'),
    home,
    env,
    ...(configFile !== undefined && { configFile }),
  });
  onTestFinished(() => runtime.close());
  await runtime.registry.discover();
  await runtime.registry.exposeAll();
  const ask = async (command: string, args: readonly string[] = []) =>
    JSON.stringify(
      await runtime.call('cli__cli_based_tool', { command, args: [...args] }, { caller: { kind: 'model' } }),
    );
  const run = (script: string) => ask('sh', ['-c', script]);
  return { home, project: path.join(home, 'project'), runtime, configure, ask, run };
}
