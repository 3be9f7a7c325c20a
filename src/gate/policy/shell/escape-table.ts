// Words that make a known program run another one, write where it likes, or load somebody's code: options, then first words.

export interface EscapeRow {
  /** Programs of a kind, by name. */
  readonly programs: string;
  /** Short and long options; long ones count shortened too. */
  readonly options?: string;
  /** Subcommands: the first word that is no option. */
  readonly subcommands?: string;
  /** Subcommands count shortened too. */
  readonly shortens?: true;
  /** Scripts as the first word that is no option: those that are `plain` do no such thing. */
  readonly script?: 'awk' | 'sed';
  /** How other words begin that do it. */
  readonly start?: RegExp;
  /** Every argument has to be named. */
  readonly everything?: true;
  /** Without a file to run it takes what it runs from its input. */
  readonly readsInput?: true;
  /** Options that take the next word, which is then no option whatever it looks like. */
  readonly values?: string;
  /** The same, but only after these subcommands: elsewhere the letter takes none. */
  readonly valuesOf?: { readonly subcommands: string; readonly options: string };
  /** Options that take none. */
  readonly flags?: string;
  /** Letters of options may stand first without a dash. */
  readonly bareLetters?: true;
}

export const escapeTable: readonly EscapeRow[] = [
  {
    programs: 'git',
    options:
      '-c -C --config-env --exec-path --git-dir --work-tree --upload-pack --receive-pack --exec -x -O -u ' +
      '--open-files-in-pager --ext-diff --template --output -o --config --extcmd',
    subcommands:
      'bisect config daemon difftool filter-branch filter-repo hook instaweb mergetool send-email submodule fast-import ' +
      'credential credential-cache credential-store p4 svn cvsserver cvsimport cvsexportcommit archimport http-backend shell ' +
      'upload-pack receive-pack upload-archive remote-ext remote-fd web--browse difftool--helper mergetool--lib ' +
      'submodule--helper bisect--helper sh-setup for-each-repo imap-send gui citool help merge-index',
    values: '-C -c --git-dir --work-tree --namespace --author --date',
    valuesOf: { subcommands: 'commit merge tag', options: '-m --message' },
    flags: '--no-pager --bare --no-optional-locks --literal-pathspecs',
  },
  {
    programs: 'hg',
    options: '--config -R --repository --cwd',
    subcommands: 'extdiff debugshell',
    shortens: true,
  },
  { programs: 'svn', options: '--config-option --config-dir --diff-cmd --diff3-cmd --editor-cmd' },
  { programs: 'gh', subcommands: 'alias extension ext codespace cs' },
  // Files.
  {
    programs: 'tar bsdtar gtar',
    options:
      '-I --use-compress-program --checkpoint-action --to-command -F --info-script --new-volume-script --rsh-command --rmt-command',
    bareLetters: true,
  },
  { programs: 'cpio', options: '--rsh-command -M' },
  { programs: 'zip', options: '-T --test -TT --unzip-command' },
  { programs: 'find', options: '-delete -fprint -fprint0 -fprintf -fls' },
  { programs: 'fd fdfind', options: '-x --exec -X --exec-batch' },
  { programs: 'rg', options: '--pre --hostname-bin' },
  { programs: 'sort', options: '--compress-program -o --output' },
  { programs: 'split', options: '--filter' },
  { programs: 'tree', options: '-o' },
  { programs: 'ag ack', options: '--pager' },
  {
    programs: 'awk gawk mawk nawk',
    options:
      '-f --file -E --exec -i --include -l --load -e --source -d --dump-variables -o --pretty-print -p --profile -D --debug',
    script: 'awk',
    values: '-F -v',
  },
  {
    programs: 'sed gsed',
    options: '-i --in-place -f --file -e --expression',
    script: 'sed',
    flags: '-n -E -r -s -u -z',
  },
  // Editors and pagers.
  {
    programs: 'vim vi nvim view gvim ex',
    options: '-c --cmd -S -s -u -U -i -w -W -V',
    start: /^\+/,
    readsInput: true,
  },
  {
    programs: 'emacs emacsclient',
    options: '--eval -eval -e -f -l --load -load --script -script --funcall -funcall --batch -batch',
  },
  { programs: 'ed red', everything: true, readsInput: true },
  { programs: 'nano', options: '-s --speller -f --rcfile' },
  {
    programs: 'less more most',
    options: '-k --lesskey-file --lesskey-src --lesskey-content -o -O --log-file',
    start: /^\+/,
  },
  { programs: 'man', options: '-P --pager -H --html -C --config-file -p --preprocessor' },
  { programs: 'bat batcat delta', options: '--pager --config-file' },
  // Other machines.
  { programs: 'ssh slogin', options: '-o -F -J -L -R -D -W -w -E -I -S -f' },
  { programs: 'scp sftp', options: '-o -F -S -J -D -b' },
  { programs: 'rsync', options: '-e --rsh --rsync-path --daemon --config -M --remote-option' },
  {
    programs: 'curl',
    options:
      '-o --output -O --remote-name -K --config -T --upload-file -d --data --data-ascii --data-binary --data-urlencode --json -F --form --libcurl --engine -D --dump-header -c --cookie-jar ' +
      '--trace --output-dir',
  },
  {
    programs: 'wget',
    options:
      '-O --output-document -e --execute --use-askpass --post-file --body-file -i --input-file -P --directory-prefix -o ' +
      '--output-file -a --append-output --config',
  },
  // Packages and builds.
  {
    programs: 'npm',
    options:
      '--script-shell --node-options --prefix -C --userconfig --globalconfig -c --call --viewer --editor --shell',
    subcommands:
      'exec x explore init innit create edit config c set install isntall i add link pkg update udpate upgrade install-test it',
    shortens: true,
  },
  {
    programs: 'pnpm yarn bun',
    options: '--script-shell --node-options --dir -C --cwd -c --shell-mode -e --eval -r',
    subcommands: 'exec dlx x node create config init install i add link',
  },
  { programs: 'npx pnpx bunx uvx pipx', everything: true },
  {
    programs: 'pip uv poetry pipenv conda',
    options: '--config-settings --index-url -i --extra-index-url -e --editable',
    subcommands: 'run exec shell config tool install add',
  },
  {
    programs: 'make gmake ninja',
    options: '-f --file --makefile --eval -E -C --directory -I --include-dir',
    start: /^\w+[:+?!]*=/,
  },
  { programs: 'cmake ctest', options: '-P -E -D -C -S --toolchain --script' },
  { programs: 'cargo rustc', options: '--config -Z -C --codegen', subcommands: 'run r install' },
  {
    programs: 'go',
    options: '-exec -toolexec -vettool -overlay -C',
    subcommands: 'run generate tool env install',
  },
  { programs: 'gcc cc g++ c++ clang clang++', options: '-wrapper -B -fplugin -specs --specs' },
  {
    programs: 'gradle gradlew mvn ant',
    options: '-I --init-script -b --build-file -c -f --file -s --settings -buildfile',
    subcommands: 'exec:exec exec:java',
  },
  {
    programs: 'docker podman nerdctl',
    options: '-H --host --config -v --volume --mount --privileged',
    subcommands: 'run exec create container image cp compose build buildx plugin import load save',
  },
  {
    programs: 'kubectl oc',
    options: '--kubeconfig -s --server',
    subcommands: 'exec run debug cp config plugin edit proxy port-forward attach',
  },
  {
    programs: 'eslint prettier jest mocha vitest webpack rollup vite babel',
    options:
      '-c --config -r --require --plugin --rulesdir --resolve-plugins-relative-to --globalSetup --setupFiles --testRunner --import --loader',
  },
  { programs: 'pytest tox nox', options: '-p -c -o --rootdir --confcutdir' },
  // Languages.
  { programs: 'python pypy', options: '-c -m -i -X -W', readsInput: true },
  {
    programs: 'node nodejs deno tsx ts-node',
    options:
      '-e --eval -p --print -r --require --import --loader --experimental-loader -i --interactive --env-file --inspect',
    readsInput: true,
  },
  { programs: 'perl', options: '-e -E -M -m -I -i -x -d', readsInput: true },
  { programs: 'ruby', options: '-e -r -I -i -x -C', readsInput: true },
  { programs: 'php', options: '-r -B -R -E -d -c -a', readsInput: true },
  { programs: 'lua luajit', options: '-e -l -i', readsInput: true },
  { programs: 'Rscript R', options: '-e --file -f', readsInput: true },
  {
    programs: 'julia elixir scala groovy clojure ocaml raku swift dart',
    options: '-e -E --eval',
    readsInput: true,
  },
  { programs: 'tclsh wish osascript ghci irb iex erl guile', everything: true, readsInput: true },
  {
    programs: 'psql mysql mariadb sqlite3',
    options: '-c --command -e --execute -f --file -o --output -cmd -init --pager --tee',
    readsInput: true,
  },
  { programs: 'openssl', options: '-engine -provider -provider-path -out -config' },
  { programs: 'nmap', options: '--script -script -oN -oX -oG -oA -oS --datadir -iL' },
  // Of the shell itself: they change what later commands mean.
  {
    programs:
      '. source alias unalias export declare typeset local readonly unset read readarray mapfile getopts let set shopt enable ' +
      'hash bind complete compgen compopt',
    everything: true,
  },
  { programs: 'time', options: '-o --output' },
  { programs: 'printf', options: '-v' },
  { programs: 'test [', options: '-v -R' },
  { programs: 'wait', options: '-p' },
];
