// What an application that embeds a runtime brings itself needs nobody's word.
import { canonical, isInside } from '../fleet/trust/containment.ts';
import type { Claim, TrustStore } from '../fleet/trust/trust-store.ts';

/** The store, for which all that really lies in these folders is trusted. */
export function withOwnFolders(store: TrustStore, folders: readonly string[]): TrustStore {
  if (folders.length === 0) return store;
  return {
    ...store,
    async checker() {
      const check = await store.checker();
      const own = (await Promise.all(folders.map(canonical))).filter((folder) => folder !== undefined);
      return async (claim) => ((await liesIn(own, claim)) ? { trusted: true } : check(claim));
    },
  };
}

async function liesIn(folders: readonly string[], { subjects, evidence }: Claim): Promise<boolean> {
  const files = [...subjects, ...evidence.map(({ file }) => file)];
  const real = await Promise.all(files.map(canonical));
  return folders.some((folder) => real.every((file) => file !== undefined && isInside(folder, file)));
}
