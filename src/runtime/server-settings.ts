// The keys `server` and `profiles` of all configurations that hold here, as one. What a project says counts once it is trusted.
import { expandReferences } from '../fleet/discovery/references.ts';
import type { Problem } from '../fleet/discovery/problem.ts';
import { readEntries, type GateFilesOptions, type HeldEntry } from './read-entries.ts';

export interface ServerSettings {
  readonly host?: string;
  readonly port?: number;
  readonly console?: boolean;
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
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

/** `before`: of a file that cannot be read now, what it said then still counts. */
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
  const server = counting(servers).reduce<ServerSettings>((all, { value }) => ({ ...all, ...value }), {});
  const named = counting(profiles).flatMap((entry) =>
    Object.entries(entry.value as ProfileSettings).map(([name, profile]) => ({ entry, name, profile })),
  );
  const usable = named.flatMap(({ entry, name, profile }) => {
    const { text: token, missing } = expandReferences(profile.token ?? '', options.env);
    if (missing.length === 0) return [[name, profile.token === undefined ? profile : { ...profile, token }]];
    // With the token of the host it would be open to those who are not meant.
    const reason = `profiles.${name}: not used, since the variable ${missing.join(', ')} of its token is not set`;
    problems.push({ ...placeOf(entry), severity: 'error', reason, wayOut: 'Set it and start again.' });
    return [];
  });
  return {
    server,
    profiles: Object.fromEntries(usable) as ProfileSettings,
    problems,
    entries: { server: servers.entries, profiles: profiles.entries },
  };
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
