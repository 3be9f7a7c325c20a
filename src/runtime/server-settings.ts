// The keys `server` and `profiles` of all configurations that hold here, as one. Those of a project count once it is trusted.
import { expandReferences } from '../fleet/discovery/entry-spec.ts';
import type { Problem } from '../fleet/discovery/problem.ts';
import { readEntries, type GateFilesOptions, type HeldEntry } from './read-entries.ts';

export interface ServerSettings {
  readonly host?: string;
  readonly port?: number;
  readonly console?: boolean;
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  /** Of one request. */
  readonly limits?: {
    readonly bodyBytes?: number;
    readonly keys?: number;
    readonly values?: number;
    readonly depth?: number;
  };
}

/** What clients of the MCP endpoint see, by name. */
export type ProfileSettings = Readonly<Record<string, Profile>>;

interface Profile {
  readonly tools?: readonly string[];
  readonly plugins?: readonly string[];
  readonly token?: string;
  readonly readOnly?: boolean;
  readonly search?: boolean | number;
  readonly approvals?: boolean;
}

export interface Serving {
  readonly server: ServerSettings;
  readonly profiles: ProfileSettings;
  readonly problems: readonly Problem[];
  /** What it was made of. */
  readonly entries: ServingEntries;
}

type ServingEntries = Readonly<Record<'server' | 'profiles', readonly HeldEntry[]>>;

/** `before`: of a file that cannot be read now, its earlier content still counts. */
export async function serverSettings(options: GateFilesOptions, before?: ServingEntries): Promise<Serving> {
  const [servers, profiles] = await Promise.all([
    readEntries('server', options, before?.server),
    readEntries('profiles', options, before?.profiles),
  ]);
  const problems = [...servers.problems, ...profiles.problems];
  const counting = ({ entries }: typeof servers) => {
    problems.push(...entries.flatMap(unused));
    return entries.filter(({ trust }) => trust.trusted);
  };
  // What the schema has found nothing wrong with is of these forms.
  const server = counting(servers).reduce<ServerSettings>((all, { value }) => merged(all, value), {});
  const named = counting(profiles).flatMap((entry) =>
    Object.entries(entry.value as ProfileSettings).map(([name, profile]) => ({ entry, name, profile })),
  );
  const usable = new Map<string, NamedProfile>();
  for (const { entry, name, profile } of named) {
    const { text: token, missing, referred } = expandReferences(profile.token ?? '', options.env);
    if (profile.token === undefined) usable.set(name, { entry, profile });
    else if (missing.length === 0 && token !== '')
      usable.set(name, { entry, profile: { ...profile, token } });
    else {
      // With the token of the host it would be open to those who are not meant.
      const unset = missing.length > 0 ? missing : referred.map((one) => one.name);
      const reason = `profiles.${name}: not used, since the variable ${unset.join(', ')} of its token is not set`;
      problems.push({ ...placeOf(entry), severity: 'error', reason, wayOut: 'Set it and start again.' });
    }
  }
  for (const names of withOneToken(usable)) {
    for (const name of names) {
      const { entry } = usable.get(name) ?? {};
      usable.delete(name);
      if (entry === undefined) continue;
      const others = names.filter((other) => other !== name).map((other) => `profiles.${other}`);
      const reason = `profiles.${name}: not used, since it has the same token as ${others.join(', ')}`;
      problems.push({
        ...placeOf(entry),
        severity: 'error',
        reason,
        wayOut: 'Give each profile its own token.',
      });
    }
  }
  return {
    server,
    profiles: Object.fromEntries([...usable].map(([name, { profile }]) => [name, profile])),
    problems,
    entries: { server: servers.entries, profiles: profiles.entries },
  };
}

interface NamedProfile {
  readonly entry: HeldEntry;
  readonly profile: Profile;
}

/** The names of profiles that share a token, which does not say which of them is meant. */
function withOneToken(profiles: ReadonlyMap<string, NamedProfile>): readonly (readonly string[])[] {
  const byToken = new Map<string, string[]>();
  for (const [name, { profile }] of profiles) {
    if (profile.token === undefined) continue;
    byToken.set(profile.token, [...(byToken.get(profile.token) ?? []), name]);
  }
  return [...byToken.values()].filter((names) => names.length > 1);
}

function merged(before: ServerSettings, later: ServerSettings): ServerSettings {
  const limits = { ...before.limits, ...later.limits };
  return { ...before, ...later, ...(Object.keys(limits).length > 0 && { limits }) };
}

function unused(entry: HeldEntry): Problem[] {
  const { trust } = entry;
  if (trust.trusted) return [];
  const reason = `server and profiles: not used, since ${trust.reason}`;
  return [{ ...placeOf(entry), severity: 'warning', reason, wayOut: trust.wayOut }];
}

function placeOf({ file, line }: HeldEntry): Pick<Problem, 'file' | 'line'> {
  return { file, line };
}
