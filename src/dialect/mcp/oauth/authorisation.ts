// How one server is told who asks: the token that is kept, a new one for it, or a person who says yes.
import { toError } from '../../../base/error.ts';
import { shortened } from '../../../base/shown.ts';
import { askPerson, NoAnswer } from './ask-person.ts';
import { joinedScope, type Challenge } from './challenge.ts';
import { findPlace, type Place } from './place.ts';
import type { OAuthPorts } from './ports.ts';
import { readRecord, recordKey, writeRecord, type AccessRecord } from './record.ts';
import { nobodyThere } from './refusal.ts';
import { refresh } from './refresh.ts';

export interface Authorisation {
  /** What to send; undefined while there is nothing. A person may be asked for more that was wanted before, unless nobody shall be. */
  token(mayAsk: boolean): Promise<string | undefined>;
  /**
   * Another one than the one that was refused.
   * @throws PluglotError UNAUTHENTICATED when a person is needed and none is there or says yes, UNAVAILABLE when nobody answers
   */
  renew(used: string | undefined, challenge: Challenge): Promise<string>;
  /**
   * One that may do more; undefined where all that is asked for was asked for before.
   * @throws as `renew`
   */
  widen(used: string | undefined, challenge: Challenge): Promise<string | undefined>;
  /** The server has to wait for what becomes of it. */
  readonly waitsForPerson: boolean;
}

export interface Waiting {
  /** The end of whoever needs it. */
  readonly signal: AbortSignal;
  /** While it holds, the time limit of a start does not run; the returned function ends that. */
  readonly personDecides: () => () => void;
}

export function authorisation(ports: OAuthPorts, { signal, personDecides }: Waiting): Authorisation {
  let waiting = 0;
  const { access, url, settings, pluginName } = ports;
  const key = recordKey(url, settings.clientId);
  let record: Promise<AccessRecord | undefined> | undefined;
  const kept = async () => {
    const known = readRecord(await access.safe.read(key), url);
    if (known !== undefined) ports.learn(secretsOf(known));
    return known;
  };
  /** As it is by then: somebody else may have renewed it meanwhile, and what was good before is worth nothing now. */
  const update = (change: (known: AccessRecord) => AccessRecord) =>
    access.safe.change(key, (text) => {
      const known = readRecord(text, url);
      return Promise.resolve(known && writeRecord(change(known)));
    });
  const use = (next: AccessRecord): string => {
    record = Promise.resolve(next);
    ports.learn(secretsOf(next));
    if (next.tokens === undefined) throw nobodyThere(pluginName, WANTS_TO_KNOW);
    return next.tokens.access;
  };
  const ask = async (place: Place, scope: string | undefined, why: string, over: AbortSignal) => {
    const known = await kept();
    // What one authorisation server gave is never shown to another.
    const own = known?.issuer === place.issuer ? known : undefined;
    const asked = joinedScope(scope, withOffline(place, scope));
    try {
      const next = await askPerson(ports, { place, record: own, scope: asked, why }, over);
      await access.safe.change(key, () => Promise.resolve(writeRecord(next)));
      return next;
    } catch (thrown) {
      if (thrown instanceof NoAnswer) await update(withoutClient);
      throw thrown;
    }
  };
  const placeOf = (challenge: Challenge) =>
    findPlace({ pluginName, url, issuer: settings.issuer, send: ports.send }, challenge);
  const widened = async (scope: string, challenge: Challenge, over: AbortSignal) =>
    ask(await placeOf(challenge), scope, wantsMore(scope), over);
  /** Whoever waits for what another has begun waits for a person as well. */
  const once = async (what: string, work: (over: AbortSignal) => Promise<AccessRecord>) => {
    const decided = personDecides();
    waiting += 1;
    try {
      return await access.once(`${key} ${what}`, signal, work);
    } finally {
      waiting -= 1;
      decided();
    }
  };
  /** What was wanted while nobody was there is asked for once: a no leaves what there is. */
  const catchUp = async (before: AccessRecord, wanted: string): Promise<void> => {
    record = Promise.resolve(withoutWanted(before));
    await update(withoutWanted);
    try {
      use(await once(`scope ${wanted}`, (over) => widened(wanted, {}, over)));
    } catch (thrown) {
      ports.log(toError(thrown).message);
    }
  };

  return {
    get waitsForPerson() {
      return waiting > 0;
    },
    async token(mayAsk) {
      record ??= kept();
      const known = await record;
      if (mayAsk && known?.wanted !== undefined && access.person(pluginName) !== undefined)
        await catchUp(known, known.wanted);
      return (await record)?.tokens?.access;
    },
    async renew(used, challenge) {
      return use(
        await once('renew', async (over) => {
          const known = await kept();
          // Somebody else was quicker.
          if (known?.tokens !== undefined && known.tokens.access !== used) return known;
          const place = await placeOf(challenge);
          const next = await refresh(ports, place, used);
          if (next?.tokens !== undefined) return next;
          const scope =
            settings.scope ?? joinedScope(known?.wanted, challenge.scope ?? place.scopes.join(' '));
          return ask(place, scope, WANTS_TO_KNOW, over);
        }),
      );
    },
    async widen(used, challenge) {
      const known = await kept();
      if (known?.tokens !== undefined && known.tokens.access !== used) return use(known);
      const before = joinedScope(known?.scope, known?.tokens?.scope);
      const scope = joinedScope(before, challenge.scope);
      if (known === undefined || scope === undefined || scope === before) return undefined;
      if (access.person(pluginName) === undefined) {
        await update((now) => ({ ...now, wanted: scope }));
        throw nobodyThere(pluginName, wantsMore(challenge.scope ?? ''));
      }
      return use(await once(`scope ${scope}`, (over) => widened(scope, challenge, over)));
    },
  };
}

function secretsOf({ tokens, client }: AccessRecord): string[] {
  return [tokens?.access, tokens?.refresh, client?.secret].filter((secret) => secret !== undefined);
}

const WANTS_TO_KNOW = 'it wants to know who asks (HTTP 401)';

function wantsMore(scope: string): string {
  return `it wants more rights than it has (${shortened(scope, 200)})`;
}

function withoutClient(record: AccessRecord): AccessRecord {
  const { client: _, ...rest } = record;
  return rest;
}

function withoutWanted(record: AccessRecord): AccessRecord {
  const { wanted: _, ...rest } = record;
  return rest;
}

/** What makes some servers give a token that outlives the hour. */
function withOffline({ metadata }: Place, scope: string | undefined): string | undefined {
  return scope !== undefined && metadata.scopes_supported?.includes('offline_access') === true
    ? 'offline_access'
    : undefined;
}
