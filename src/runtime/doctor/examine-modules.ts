// Plugins that run inside of the host: loaded, set up, asked and taken down, where they are trusted.
import { PluglotError, toError } from '../../base/error.ts';
import type { FoundModule } from '../../fleet/discovery/discover.ts';
import { createRuntime } from '../create-runtime.ts';
import type { RuntimeOptions } from '../runtime-parts.ts';
import type { Diagnosis } from './diagnosis.ts';
import { finding, type Finding } from './finding.ts';
import { refusal } from './refusal.ts';
import { schemaFindings } from './schema-findings.ts';

export async function examineModules(
  options: Pick<RuntimeOptions, 'cwd' | 'home' | 'env' | 'configFile'>,
  modules: readonly FoundModule[],
): Promise<readonly Diagnosis[]> {
  if (modules.length === 0) return [];
  const usable = modules.filter((found) => refusal(found.module.name, found) === undefined);
  if (usable.length === 0) return modules.map((found) => refused(found));
  const runtime = await createRuntime({ ...options, builtIns: false });
  try {
    await runtime.registry.discover();
    return await Promise.all(
      modules.map(async (found) => {
        const { name } = found.module;
        if (!usable.includes(found)) return refused(found);
        try {
          await runtime.registry.exposeTool(name);
          const profile = runtime.registry.getPlugin(name)?.profile;
          const tools = profile?.tools ?? [];
          const version = profile?.version === undefined ? {} : { version: profile.version };
          const findings = schemaFindings(name, tools);
          return { ...baseOf(found), ...version, tools: tools.length, findings };
        } catch (thrown) {
          return { ...baseOf(found), findings: [broken(found, thrown)] };
        }
      }),
    );
  } finally {
    await runtime.close();
  }
}

function refused(found: FoundModule): Diagnosis {
  const one = refusal(found.module.name, found);
  return { ...baseOf(found), findings: one === undefined ? [] : [one] };
}

function baseOf({ module, origin }: FoundModule): Omit<Diagnosis, 'findings'> {
  return { name: module.name, from: origin.file, dialect: 'in-process' };
}

function broken({ module }: FoundModule, thrown: unknown): Finding {
  const error = toError(thrown);
  const isMissing = error instanceof PluglotError && error.code === 'REQUIREMENT_MISSING';
  return finding({
    code: isMissing ? 'requirement-missing' : 'module-broken',
    plugin: module.name,
    what: error.message,
    fix: isMissing
      ? 'Install what it needs, then look again.'
      : `Fix ${module.file}, or ask whoever wrote it.`,
  });
}
