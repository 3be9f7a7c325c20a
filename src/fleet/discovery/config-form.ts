// What differs between the files that plugins are written down in: where they stand there, how, and what is wrong with them.
import { PluglotError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { sentence, sentences } from '../../base/sentence.ts';
import { parseConfig, type PluginEntry } from './config-file.ts';
import { memberOf, readJson } from './json-reader.ts';
import { mcpServer } from './mcp-servers.ts';
import { pluginName } from './plugin-name.ts';
import { describeProblem } from './problem.ts';
import { placesIn } from './text-places.ts';

export interface ConfigForm {
  /** The object that has a member for each plugin. */
  readonly key: string;
  /** How a secret of the environment is written there. */
  readonly reference: string;
  /** Whether a member of that object is the plugin of this name. */
  isNamed(member: string, plugin: string): boolean;
  write(entry: PluginEntry): Json;
  /** All members, also broken ones. @throws PluglotError CONFIG_INVALID when the file cannot be read */
  membersIn(file: string, text: string): Promise<readonly string[]>;
  /** What is wrong with one of these plugins. */
  problemIn(file: string, text: string, plugins: readonly string[]): Promise<string | undefined>;
}

export const pluglotJsonForm: ConfigForm = {
  key: 'plugins',
  reference: '${env:NAME}',
  isNamed: (member, plugin) => member === plugin,
  // An entry is JSON: whatever it was made of was read from JSON or typed.
  write: (entry) => entry as unknown as Json,
  async membersIn(file, text) {
    const { plugins, problems, usable } = await parseConfig(file, text);
    const [wrong] = problems.filter(({ reason }) => !usable || reason.startsWith('plugins: '));
    if (wrong) throw new PluglotError('CONFIG_INVALID', describeProblem(wrong));
    const broken = problems.flatMap(({ plugin }) => (plugin === undefined ? [] : [plugin]));
    return [...new Set([...plugins.map(({ name }) => name), ...broken])];
  },
  async problemIn(file, text, plugins) {
    const { problems } = await parseConfig(file, text);
    const wrong = problems.find(({ plugin }) => plugin !== undefined && plugins.includes(plugin));
    return wrong && describeProblem(wrong);
  },
};

/** `.mcp.json`, as other clients read it too. */
export const mcpJsonForm: ConfigForm = {
  key: 'mcpServers',
  reference: '${NAME}',
  isNamed: (member, plugin) => member === plugin || pluginName(member) === plugin,
  write({ command, args = [], cwd, env, url, headers, oauth, disabled }) {
    const entry = {
      type: command === undefined ? 'http' : 'stdio',
      ...(command !== undefined && { command, args, ...(cwd !== undefined && { cwd }) }),
      ...(env !== undefined && { env }),
      ...(url !== undefined && { url }),
      ...(headers !== undefined && { headers }),
      ...(oauth !== undefined && { oauth }),
      ...(disabled === true && { disabled }),
    };
    // As above.
    return entry as unknown as Json;
  },
  membersIn: (file, text) => Promise.resolve(serversIn(file, text).map(({ key }) => key)),
  problemIn(file, text, plugins) {
    for (const { key, node } of serversIn(file, text)) {
      const server = plugins.includes(key) ? mcpServer(node.value) : undefined;
      if (server?.ok === false)
        return Promise.resolve(`${file}: mcpServers.${key}: ${sentences(server.reason, server.wayOut)}`);
    }
    return Promise.resolve(undefined);
  },
};

function serversIn(file: string, text: string) {
  const reading = readJson(text, { syntax: 'jsonc' });
  if (!reading.ok) {
    const { line, column } = placesIn(text)(reading.offset);
    const place = `${file}:${line}:${column}`;
    throw new PluglotError(
      'CONFIG_INVALID',
      `${place}: no JSON: ${sentence(reading.reason)} Correct the line.`,
    );
  }
  const servers = memberOf(reading.root, 'mcpServers')?.node;
  if (servers === undefined && reading.root.members !== undefined) return [];
  if (servers?.members === undefined)
    throw new PluglotError(
      'CONFIG_INVALID',
      `${file}: "mcpServers" is no object. Write { "mcpServers": { "NAME": { "command": "…" } } }.`,
    );
  return servers.members;
}
