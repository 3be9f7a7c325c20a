// `.mcp.json`, the file for MCP servers that projects share between clients.
import path from 'node:path';
import { MiB } from '../../base/limits.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Candidate, Candidates } from './candidate.ts';
import { specOfEntry } from './entry-spec.ts';
import type { Environment } from './home-folders.ts';
import { countingMembers, memberOf } from './json-reader.ts';
import { readManifest } from './manifest-file.ts';
import { mcpServer } from './mcp-servers.ts';
import { pluginName } from './plugin-name.ts';
import type { Problem } from './problem.ts';

export async function mcpJson(
  file: string,
  surroundings: {
    readonly home: string;
    readonly env: Environment;
    /** Not one of a project's. */ readonly own: boolean;
  },
): Promise<Candidates> {
  const { home, env, own } = surroundings;
  const read = await readManifest(file, 'jsonc', 4 * MiB);
  if (read.kind === 'absent') return { candidates: [], problems: [] };
  if (read.kind === 'broken') return { candidates: [], problems: [read.problem] };
  const candidates: Candidate[] = [];
  const problems: Problem[] = [];
  const servers = memberOf(read.root, 'mcpServers')?.node;
  if (!servers?.members) {
    const reason = servers ? '"mcpServers" is no object' : '"mcpServers" is missing';
    const wayOut = 'Write { "mcpServers": { "NAME": { "command": "…" } } }.';
    problems.push({ file, line: read.lineOf('mcpServers'), severity: 'error', reason, wayOut });
  }
  const folder = path.dirname(file);
  const ownWord = own && (read.mode & 0o002) === 0;
  if (own && !ownWord) problems.push(openToEverybody(file));
  for (const { key, start, node } of countingMembers(servers)) {
    const { line } = read.placeOf(start);
    const name = pluginName(key);
    const broken = (reason: string, wayOut: string) => {
      const shown = `mcpServers.${key.slice(0, 80)}: ${reason}`;
      problems.push({
        file,
        line,
        severity: 'error',
        reason: shown,
        wayOut,
        ...(name !== undefined && { plugin: name }),
      });
    };
    if (name === undefined) {
      broken('no name for a plugin', 'Use letters, digits, dots, dashes and underscores.');
      continue;
    }
    const server = mcpServer(node.value);
    if (!server.ok) {
      broken(server.reason, server.wayOut);
      continue;
    }
    const made = specOfEntry(name, server.entry, {
      folder,
      home,
      env,
      forms: 'all',
      ...(!own && { cwd: folder }),
    });
    if (made.kind === 'missing') broken(...missingWords(made.variables));
    if (made.kind !== 'spec') continue;
    candidates.push({
      spec: made.spec,
      origin: { kind: 'mcp-json', file, line },
      claim: ownWord ? 'own' : { root: folder, subjects: [], evidence: [{ file, sha256: read.sha256 }] },
      ...(server.entry.disabled && { disabled: true }),
    });
  }
  return { candidates, problems };
}

/** For a file of the user's that others may write: then it is not the user alone who says what is run. */
export function openToEverybody(file: string): Problem {
  const reason = 'everybody may write this file, so that it has to be trusted like one of a stranger';
  return { file, severity: 'warning', reason, wayOut: `chmod 600 ${shellWord(file)}` };
}

/** For a plugin whose settings name variables that are not set. */
export function missingWords(variables: readonly string[]): [reason: string, wayOut: string] {
  const names = variables.map((name) => name.slice(0, 80)).join(', ');
  return [
    `it needs ${names} of the environment, which ${variables.length === 1 ? 'is' : 'are'} not set`,
    'Set it, or write a default: ${NAME:-default}.',
  ];
}
