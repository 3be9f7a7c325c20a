// What the built-in plugins get of this host.
import path from 'node:path';
import { PluglotError } from '../base/error.ts';
import type { Definition } from '../definition/definition.ts';
import type { CallSource } from '../fleet/registry/resolved.ts';
import type { ProgramLauncher, SpawnProgram } from '../fleet/supervisor/launcher.ts';
import { notStarted } from '../fleet/supervisor/spawn.ts';
import type { TrustStore } from '../fleet/trust/trust-store.ts';
import type { HostPorts, Person } from '../plugins/host-ports.ts';

export interface HostPortParts extends Pick<
  HostPorts,
  'env' | 'cwd' | 'home' | 'configFolder' | 'gate' | 'fetch' | 'mcpServers' | 'sandbox' | 'writableFolders'
> {
  readonly launcher: ProgramLauncher;
  readonly source: Pick<CallSource, 'resolveTool'>;
  readonly trust: TrustStore;
  readonly person: Person | undefined;
  readonly print: ((line: string) => void) | undefined;
}

export interface MadePorts {
  readonly ports: HostPorts;
  /** The plugin, which is not set up before programs can be started that do not outlive the host. */
  prepared(definition: Definition): Definition;
}

export function hostPorts(parts: HostPortParts): MadePorts {
  const { launcher, source, trust, print, ...given } = parts;
  let spawn: SpawnProgram | undefined;
  return {
    ports: {
      ...given,
      now: () => new Date(),
      spawn: (program, options) => (spawn ?? tooEarly)(program, options),
      findTool: (name) => source.resolveTool(name),
      async isTrusted(file, sha256) {
        const check = await trust.checker();
        return (await check({ root: path.dirname(file), subjects: [], evidence: [{ file, sha256 }] }))
          .trusted;
      },
      print: (line) => print?.(line),
    },
    prepared(definition) {
      if (!startsPrograms.has(definition.name)) return definition;
      return {
        ...definition,
        async setup(context) {
          spawn ??= await launcher.programs();
          await definition.setup?.(context);
        },
      };
    },
  };
}

/** Getting ready for that takes a moment, which others do not need to wait. */
const startsPrograms: ReadonlySet<string> = new Set(['cli']);

const tooEarly: SpawnProgram = (program) =>
  notStarted(
    new PluglotError(
      'NOT_INITIALIZED',
      `"${program.command}" cannot be started before the plugin is set up.`,
    ),
  );
