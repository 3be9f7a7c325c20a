// What holds for every built-in plugin.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { isJsonObject } from '../base/json.ts';
import type { HostPorts } from './host-ports.ts';
import { builtInPlugins } from './index.ts';

// When it is made, a plugin asks nothing of its host but where it is: the gate, for one, is not there yet.
const ports = { env: {}, cwd: '/', home: '/', configFolder: '/', person: undefined } as unknown as HostPorts;

const plugins = builtInPlugins(ports);

test('each has a name of its own', () => {
  const names = plugins.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

describe.each(plugins.map((plugin) => [plugin.name, plugin] as const))('%s', (name, plugin) => {
  const folder = path.join(import.meta.dirname, name.replaceAll('_', '-'));

  test('tells in the README of its folder of all its tools, commands and keys', () => {
    const readme = fs.readFileSync(path.join(folder, 'README.md'), 'utf8');
    const { properties } = plugin.config?.jsonSchema ?? {};
    const words = [...plugin.tools, ...plugin.commands]
      .map((each) => each.name)
      .concat(isJsonObject(properties) ? Object.keys(properties) : []);
    expect(words.filter((word) => !readme.includes(word))).toEqual([]);
  });

  test('tells models what its tools are for', () => {
    expect(plugin.description).toMatch(/\S/);
    expect(plugin.tools.filter(({ description }) => description === undefined)).toEqual([]);
  });

  test('approves nothing by itself that says it destroys', () => {
    const destructive = plugin.tools.filter(({ hints }) => hints?.destructive === true);
    expect(destructive.filter((tool) => plugin.autoApprove.includes(tool.name))).toEqual([]);
  });
});

test('what waits for a person or a command is not ended by the limit of usual calls', () => {
  const own = plugins.flatMap(({ tools, commands }) =>
    [...tools, ...commands].flatMap(({ name, timeoutMs }) => (timeoutMs === undefined ? [] : name)),
  );
  const waiting = ['cli_based_tool', 'mcp', 'selectReferences', 'selectReferences', 'askPermission'];
  expect(own.toSorted()).toEqual(waiting.toSorted());
});

test('packages are loaded when they are needed, but for the one that reads the configuration of every host', () => {
  const seen = new Set<string>();
  const waiting = [path.join(import.meta.dirname, 'index.ts')];
  const others: string[] = [];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const source = fs.readFileSync(file, 'utf8');
    for (const [, from = ''] of source.matchAll(/^(?:import|export) (?!type\b)[^;]*?from '([^']+)';$/gm)) {
      if (from.startsWith('.')) waiting.push(path.resolve(path.dirname(file), from));
      else if (!from.startsWith('node:')) others.push(`${path.basename(file)}: ${from}`);
    }
  }
  expect(others).toEqual(['json-reader.ts: jsonc-parser']);
  expect(seen.size).toBeGreaterThan(30);
});
