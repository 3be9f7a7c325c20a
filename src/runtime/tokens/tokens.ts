// Who has access: bearer tokens of clients, and browsers with a session of the console. A revoked token is refused from that moment on.
import { hash, randomBytes } from 'node:crypto';
import { systemClock, type Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/emitter.ts';
import { PluglotError } from '../../base/error.ts';
import { oneByOne } from '../../base/async.ts';
import { tokenPurposes, type TokenPurpose } from './token-purposes.ts';
import { tokenFile, tokensInMemory, type TokenKeeper, type TokenRecord } from './token-file.ts';

/** Never with its secret. */
export interface TokenView {
  /** Unlike the name, never given to another token. It opens nothing. */
  readonly id: string;
  readonly name: string;
  /** `console`: a browser that was let in by a one-time link. */
  readonly purpose: TokenPurpose | 'console';
  /** What clients with it are shown: a profile of pluglot.json. */
  readonly profile?: string;
  /** Undefined: it stands in pluglot.json. */
  readonly createdAt?: string;
  readonly lastUsedAt?: string;
  readonly expiresAt?: string;
}

export interface TokenRequest {
  readonly name: string;
  readonly purpose: TokenPurpose;
  /** Only for `mcp`. */
  readonly profile?: string;
}

/** One that the caller has chosen, best at random. */
export interface KnownSecret extends Pick<TokenView, 'name' | 'purpose' | 'profile'> {
  readonly secret: string;
}

export interface NewToken {
  readonly token: TokenView;
  /** Shown this once; it cannot be found out later. */
  readonly secret: string;
}

/** The one that `pluglot up` makes and prints. */
const DEFAULT_TOKEN = 'default';

const NAME = /^[A-Za-z\d][\w.-]{0,63}$/;
const TOKENS_MAX = 1000;
const CONSOLE_MS = 30 * 24 * 3600_000;
/** How late the last use may be written down. */
const FLUSH_MS = 60_000;
/** The wait before a file that could not be read is read again; doubled each time. */
const RETRY_MS = 100;
const RETRY_MAX_MS = 5000;
/** Timers do not count the time that the machine sleeps. */
const EXPIRY_CHECK_MS = 10 * 60_000;

interface Known {
  readonly view: TokenView;
  usedAt: number | undefined;
  /** Its secret was passed to `learn`. */
  isLearned?: boolean;
}

export interface TokensOptions {
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Called with the secret of a token when it is made and when it is first used, to have it masked: only its hash is kept. */
  readonly learn?: (secret: string) => void;
}

export class Tokens {
  readonly #keeper: TokenKeeper;
  readonly #clock: Clock;
  readonly #now: () => number;
  readonly #learn: (secret: string) => void;
  readonly #revoked = new Emitter<TokenView>();
  readonly #inTurn = oneByOne();
  /** By the hash of the secret: the time that a lookup takes reveals nothing of a secret. */
  #kept: ReadonlyMap<string, Known> = new Map();
  #configured: ReadonlyMap<string, Known> = new Map();
  /** False after a failed read, until one succeeds: a token may have been revoked meanwhile. */
  #isKeptCurrent = true;
  #failedReads = 0;
  #callOff: (() => void) | undefined;
  #callOffRetry: (() => void) | undefined;
  #callOffExpiry: (() => void) | undefined;
  #unfollow: (() => void) | undefined;

  /** `known`: what the keeper has, where the caller knows it already. */
  constructor(
    keeper: TokenKeeper,
    { clock = systemClock, now = Date.now, learn = () => {} }: TokensOptions = {},
    known: readonly TokenRecord[] = [],
  ) {
    this.#keeper = keeper;
    this.#clock = clock;
    this.#now = now;
    this.#learn = learn;
    this.#use(known);
  }

  /** The token that this is the secret of; that it was used is noted. */
  find(secret: string): TokenView | undefined {
    const key = digest(secret);
    const known = (this.#isKeptCurrent ? this.#kept.get(key) : undefined) ?? this.#configured.get(key);
    const now = this.#now();
    if (known === undefined || isExpired(known.view, now)) return undefined;
    known.usedAt = now;
    if (known.isLearned !== true) {
      known.isLearned = true;
      this.#learn(secret);
    }
    this.#callOff ??= this.#clock.after(FLUSH_MS, () => void this.#flush().catch(() => {}));
    return known.view;
  }

  /** Called with each token that was revoked, has expired or moved to another profile; the returned function ends that. */
  onRevoked(listener: (token: TokenView) => void): () => void {
    return this.#revoked.add(listener);
  }

  /** Reads them, and from now on follows what other processes do. @throws PluglotError CONFIG_INVALID */
  async follow(): Promise<void> {
    if (this.#unfollow !== undefined) return this.#refresh();
    // Watched before it is read, so that no change in between is missed.
    this.#unfollow = this.#keeper.watch(() => this.#refreshLater());
    try {
      await this.#refresh();
    } catch (thrown) {
      this.#endFollowing();
      throw thrown;
    }
  }

  /** @throws PluglotError CONFIG_INVALID */
  async list(): Promise<readonly TokenView[]> {
    await this.#refresh();
    return [...this.#kept.values(), ...this.#configured.values()]
      .filter(({ view }) => !isExpired(view, this.#now()))
      .map(shown);
  }

  /** @throws PluglotError INVALID_ARGUMENTS when the name is invalid or taken, CONFIG_INVALID */
  async create({ name, purpose, profile }: TokenRequest): Promise<NewToken> {
    if (!NAME.test(name) || name === DEFAULT_TOKEN || name === 'none')
      throw refused(
        `"${name.slice(0, 100)}" cannot be the name of a token. Choose letters, digits, dots, dashes and underscores, at most 64; "${DEFAULT_TOKEN}" and "none" are taken by the host.`,
      );
    if (!tokenPurposes.includes(purpose))
      throw refused(`"${purpose}" is not a purpose of tokens. Choose ${tokenPurposes.join(', ')}.`);
    if (profile !== undefined && purpose !== 'mcp')
      throw refused(`A profile is for clients of MCP; this token is for ${purpose}.`);
    return this.#add({ name, purpose, ...(profile !== undefined && { profile }) });
  }

  /** For one browser. */
  createConsole(): Promise<NewToken> {
    const name = `console:${randomBytes(4).toString('hex')}`;
    const expiresAt = new Date(this.#now() + CONSOLE_MS).toISOString();
    return this.#add({ name, purpose: 'console', expiresAt });
  }

  /** The secret of the one that is printed; it is made where there is none. @throws PluglotError CONFIG_INVALID */
  async ensureDefault(): Promise<string> {
    let secret = (await this.#keeper.readOldToken()) ?? newSecret();
    await this.#change((records) => {
      const known = records.find(({ name }) => name === DEFAULT_TOKEN);
      if (known?.secret !== undefined) {
        ({ secret } = known);
        return records;
      }
      const record = { name: DEFAULT_TOKEN, purpose: 'mcp', ...this.#recordOf(secret), secret };
      return [record, ...records.filter(({ name }) => name !== DEFAULT_TOKEN)];
    });
    await this.#keeper.dropOldToken();
    return secret;
  }

  /** Whether there was one. @throws PluglotError INVALID_ARGUMENTS for one of pluglot.json, CONFIG_INVALID */
  async revoke(name: string): Promise<boolean> {
    if ([...this.#configured.values()].some(({ view }) => view.name === name))
      throw refused(`The token "${name}" stands in pluglot.json. Remove or change it there.`);
    let isThere = false;
    await this.#change((records) => {
      const rest = records.filter((record) => record.name !== name);
      isThere = rest.length < records.length;
      return rest;
    });
    return isThere;
  }

  /** Those that profiles of pluglot.json have. From now on these let in, and no others of them. */
  useConfigured(profiles: ReadonlyMap<string, string>): void {
    const before = this.#configured;
    const next = new Map<string, Known>();
    const secrets = [...profiles.values()];
    for (const [profile, secret] of profiles) {
      // An empty one would let in clients without a token, and one of two profiles does not say which is meant.
      if (secret === '' || secrets.filter((other) => other === secret).length > 1) continue;
      const key = digest(secret);
      const name = `profile:${profile}`;
      const known = before.get(key)?.view;
      // Random, since a secret that a person chose could be guessed by an id that is made of it.
      const id = known?.name === name ? known.id : newId();
      next.set(key, { view: { id, name, purpose: 'mcp', profile }, usedAt: undefined });
    }
    this.#configured = next;
    this.#emitRevoked(before, next);
  }

  async close(): Promise<void> {
    this.#endFollowing();
    await this.#flush().catch(() => {});
    this.#callOffExpiry?.();
  }

  #endFollowing(): void {
    this.#unfollow?.();
    this.#unfollow = undefined;
    this.#callOffRetry?.();
    this.#callOffRetry = undefined;
  }

  async #add(asked: Pick<TokenRecord, 'name' | 'purpose' | 'profile' | 'expiresAt'>): Promise<NewToken> {
    const secret = newSecret();
    this.#learn(secret);
    const record: TokenRecord = { ...asked, ...this.#recordOf(secret) };
    await this.#change((records) => {
      const now = this.#now();
      const living = records.filter((each) => !isExpired(each, now));
      if (living.some(({ name }) => name === record.name))
        throw refused(
          `There is a token "${record.name}" already. Choose another name, or revoke it first: pluglot tokens revoke ${record.name}`,
        );
      if (living.length >= TOKENS_MAX)
        throw refused(`There are ${TOKENS_MAX} tokens already. Revoke some first.`);
      return [...living, record];
    });
    return { token: viewOf(record), secret };
  }

  #recordOf(secret: string): Pick<TokenRecord, 'id' | 'sha256' | 'createdAt'> {
    return { id: newId(), sha256: digest(secret), createdAt: new Date(this.#now()).toISOString() };
  }

  #refresh(): Promise<void> {
    return this.#inTurn(async () => {
      try {
        this.#use(await this.#keeper.read());
      } catch (thrown) {
        this.#isKeptCurrent = false;
        this.#retry();
        throw thrown;
      }
    });
  }

  #refreshLater(): void {
    // A failure is handled there: it is tried again.
    void this.#refresh().catch(() => {});
  }

  #retry(): void {
    if (this.#unfollow === undefined || this.#callOffRetry !== undefined) return;
    const delayMs = Math.min(RETRY_MS * 2 ** this.#failedReads, RETRY_MAX_MS);
    this.#failedReads += 1;
    this.#callOffRetry = this.#clock.after(delayMs, () => {
      this.#callOffRetry = undefined;
      this.#refreshLater();
    });
  }

  #change(change: (records: readonly TokenRecord[]) => readonly TokenRecord[]): Promise<void> {
    return this.#inTurn(async () => {
      let written: readonly TokenRecord[] = [];
      await this.#keeper.change((records) => (written = change(records).map((record) => this.#used(record))));
      this.#use(written);
    });
  }

  #use(records: readonly TokenRecord[]): void {
    this.#isKeptCurrent = true;
    this.#failedReads = 0;
    this.#callOffRetry?.();
    this.#callOffRetry = undefined;
    const before = this.#kept;
    this.#keep(
      records.map((record) => [
        record.sha256,
        { view: viewOf(record), usedAt: before.get(record.sha256)?.usedAt },
      ]),
    );
  }

  /** Without those that have expired. */
  #keep(tokens: Iterable<readonly [string, Known]>): void {
    const now = this.#now();
    const before = this.#kept;
    this.#kept = new Map([...tokens].filter(([, { view }]) => !isExpired(view, now)));
    this.#emitRevoked(before, this.#kept);
    this.#callOffExpiry?.();
    this.#callOffExpiry = undefined;
    const ends = [...this.#kept.values()].flatMap(({ view }) => view.expiresAt ?? []);
    if (ends.length === 0) return;
    const delayMs = Math.min(...ends.map((end) => Date.parse(end) - now), EXPIRY_CHECK_MS);
    this.#callOffExpiry = this.#clock.after(delayMs, () => this.#keep(this.#kept));
  }

  #emitRevoked(before: ReadonlyMap<string, Known>, now: ReadonlyMap<string, Known>): void {
    for (const [key, { view }] of before) {
      const next = now.get(key)?.view;
      const isSame =
        next?.name === view.name && next.purpose === view.purpose && next.profile === view.profile;
      if (!isSame) this.#revoked.emit(view);
    }
  }

  async #flush(): Promise<void> {
    if (this.#callOff === undefined) return;
    this.#callOff();
    this.#callOff = undefined;
    await this.#change((records) => records);
  }

  /** With the last use that this process has seen. */
  #used(record: TokenRecord): TokenRecord {
    const usedAt = this.#kept.get(record.sha256)?.usedAt;
    if (usedAt === undefined) return record;
    const lastUsedAt = new Date(usedAt).toISOString();
    return (record.lastUsedAt ?? '') < lastUsedAt ? { ...record, lastUsedAt } : record;
  }
}

/** Those of the user, in the state folder. */
export function openTokens(stateFolder: string, options: TokensOptions = {}): Tokens {
  return new Tokens(tokenFile(stateFolder), options);
}

/** Those of a program that keeps no state: what it knows already, and what it makes; all are gone with it. */
export function createTokens(known: readonly KnownSecret[] = [], options: TokensOptions = {}): Tokens {
  const createdAt = new Date((options.now ?? Date.now)()).toISOString();
  const records = known.map(({ secret, ...token }) => ({
    ...token,
    id: newId(),
    sha256: digest(secret),
    createdAt,
  }));
  return new Tokens(tokensInMemory(records), options, records);
}

function shown({ view, usedAt }: Known): TokenView {
  return usedAt === undefined ? view : { ...view, lastUsedAt: new Date(usedAt).toISOString() };
}

function viewOf(record: TokenRecord): TokenView {
  const { sha256, secret: _secret, id = idOf(sha256), ...view } = record;
  // A purpose in the file that is not one of ours opens nothing.
  return { id, ...view } as TokenView;
}

function isExpired({ expiresAt }: Pick<TokenRecord, 'expiresAt'>, now: number): boolean {
  return expiresAt !== undefined && !(Date.parse(expiresAt) > now);
}

function newSecret(): string {
  return `plt_${randomBytes(32).toString('base64url')}`;
}

function newId(): string {
  return randomBytes(12).toString('base64url');
}

/** The id of a token of earlier versions. Its secret is random, so that the id reveals nothing of it. */
function idOf(sha256: string): string {
  return hash('sha256', `id:${sha256}`, 'base64url').slice(0, 16);
}

function digest(secret: string): string {
  return hash('sha256', secret);
}

function refused(message: string): PluglotError {
  return new PluglotError('INVALID_ARGUMENTS', message);
}
