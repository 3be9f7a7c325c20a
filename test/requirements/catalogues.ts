// Each JSON file in this folder lists what one specification requires, by section; its file name begins the ids.
import fs from 'node:fs';
import path from 'node:path';

export type Requirement = {
  /** `specification:subject:requirement`, as tests cite it. */
  readonly id: string;
  readonly text: string;
};

const folder = import.meta.dirname;

/** The catalogues by specification: gassist, gevals, jsonrpc, mcp, planner, yams. */
export const catalogues: Readonly<Record<string, readonly Requirement[]>> = Object.fromEntries(
  fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => [path.basename(name, '.json'), readCatalogue(path.join(folder, name))]),
);

function readCatalogue(file: string): readonly Requirement[] {
  const { sections } = JSON.parse(fs.readFileSync(file, 'utf8')) as {
    readonly sections: Readonly<Record<string, readonly Requirement[]>>;
  };
  return Object.values(sections).flat();
}
