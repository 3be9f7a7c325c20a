// The store that the configuration names.
import type { TodoSettings } from '../settings.ts';
import { hybridStore } from './hybrid-store.ts';
import { memoryStore } from './memory-store.ts';
import { plansFile } from './plans-file.ts';
import { plansFolder } from './plans-folder.ts';
import type { PlanStore, Warn } from './store.ts';

export function createStore(
  { type, path, isFolder, keep }: TodoSettings['storage'],
  parts: { readonly now: () => Date; readonly warn: Warn },
): PlanStore {
  if (type === 'memory') return memoryStore(keep);
  const disk = isFolder ? plansFolder(path, { ...parts, keep }) : plansFile(path, { ...parts, keep });
  return type === 'file' ? disk : hybridStore(disk);
}
