// The references of a session: which there are, which the user has chosen, and what models are told of them.
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../base/json.ts';
import { oneByOne } from '../../base/one-by-one.ts';
import type { Catalog } from './catalog.ts';
import type { SelectionChannel } from './channels/channel.ts';
import type { GetContent } from './content/content.ts';
import { instructionsText } from './instructions-text.ts';
import { accessOf, withTags, type Source } from './source.ts';
import { sourcesText, type FoundSource } from './source-text.ts';

export interface LibraryParts {
  /** Reads the files again. */
  readonly load: () => Promise<Catalog>;
  /** Of a catalog, since its file may say who is asked. */
  readonly channelFor: (catalog: Catalog) => SelectionChannel;
  readonly content: GetContent;
  /** What may change beside the files, such as which servers are connected. */
  readonly surroundings: (sources: readonly Source[]) => string;
  readonly maxTotalChars: number;
  readonly now: () => Date;
  readonly warn: (message: string) => void;
  readonly instructionsChanged: () => void;
  /** Of the plugin. */
  readonly signal: AbortSignal;
}

export class Library {
  readonly #parts: LibraryParts;
  readonly #selected = new Set<string>();
  #catalog: Catalog = { sources: [], channel: {}, problems: [] };
  #channel: SelectionChannel | undefined;
  #seen = '';
  #instructions: string | undefined;
  #refreshing: Promise<void> | undefined;
  /** One menu after the other. */
  readonly #inTurn = oneByOne();

  constructor(parts: LibraryParts) {
    this.#parts = parts;
  }

  get instructions(): string | undefined {
    return this.#instructions;
  }

  get sources(): readonly Source[] {
    return this.#catalog.sources;
  }

  /** Looks whether anything is other than it was, and only then gets automatic sources again. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async list(tags: readonly string[], mode: 'all' | Source['mode']): Promise<JsonObject> {
    await this.refresh();
    const { sources, problems } = this.#catalog;
    const found = withTags(sources, tags).filter((source) => mode === 'all' || source.mode === mode);
    return {
      sources: found.map((source) => this.#entry(source)),
      total: found.length,
      selected_count: found.filter(({ id }) => this.#selected.has(id)).length,
      ...(found.length === 0 ? { message: 'No reference sources available.' } : {}),
      ...(problems.length === 0 ? {} : { problems: [...problems] }),
    };
  }

  select(context: string | undefined, tags: readonly string[], signal: AbortSignal): Promise<JsonObject> {
    return this.#inTurn(() => this.#select(context, tags, signal));
  }

  async #refresh(): Promise<void> {
    const { load, surroundings, channelFor, warn, instructionsChanged } = this.#parts;
    const catalog = await load();
    const seen = JSON.stringify([catalog, surroundings(catalog.sources)]);
    if (seen === this.#seen) return;
    const channel = channelFor(catalog);
    for (const problem of catalog.problems) if (!this.#catalog.problems.includes(problem)) warn(problem);
    this.#seen = seen;
    this.#catalog = catalog;
    this.#channel = channel;
    const automatic = catalog.sources.filter(({ mode }) => mode === 'auto');
    const selectable = catalog.sources.filter(({ mode }) => mode === 'selectable');
    const found = await this.#contents(automatic, false, this.#parts.signal);
    this.#instructions = instructionsText(found, selectable, this.#parts.maxTotalChars);
    instructionsChanged();
  }

  async #select(
    context: string | undefined,
    tags: readonly string[],
    signal: AbortSignal,
  ): Promise<JsonObject> {
    await this.refresh();
    const selectable = this.#catalog.sources.filter(
      ({ id, mode }) => mode === 'selectable' && !this.#selected.has(id),
    );
    const available = withTags(selectable, tags);
    const channel = this.#channel;
    if (available.length === 0 || channel === undefined) return this.#nothingToChoose();
    const request = {
      request_id: randomUUID(),
      timestamp: this.#parts.now().toISOString(),
      context: context === undefined || context.trim() === '' ? null : context.trim().slice(0, 2000),
      sources: available,
    };
    const selection = await channel.choose(request, signal);
    switch (selection.kind) {
      case 'unavailable':
        return { status: 'unavailable', message: `${selection.reason} No reference sources were selected.` };
      case 'late':
        return this.#noneSelected(
          channel,
          'Nobody chose in time, so no reference sources were selected.',
          signal,
        );
      case 'none':
        return this.#noneSelected(channel, 'User did not select any reference sources.', signal);
      case 'selected':
        return this.#chosen(channel, available, selection.ids, signal);
    }
  }

  async #chosen(
    channel: SelectionChannel,
    available: readonly Source[],
    ids: readonly string[],
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const wanted = new Set(ids);
    const chosen = available.filter(({ id }) => wanted.has(id));
    if (chosen.length < wanted.size)
      this.#parts.warn(
        `${wanted.size - chosen.length} of the references that were chosen were not offered; they are left out.`,
      );
    if (chosen.length === 0)
      return this.#noneSelected(channel, 'None of the sources that were chosen was offered.', signal);
    for (const { id } of chosen) this.#selected.add(id);
    const found = await this.#contents(chosen, true, signal);
    const count = chosen.length === 1 ? 'One reference source is' : `${chosen.length} reference sources are`;
    await channel.tell(`${count} selected and given to the model.`, signal);
    return {
      status: 'success',
      selected_count: chosen.length,
      message:
        'The user has selected the following reference sources. Use their content; where it is not included, get it as described.',
      sources: sourcesText(found, this.#parts.maxTotalChars),
    };
  }

  #nothingToChoose(): JsonObject {
    const { sources, problems } = this.#catalog;
    const message =
      sources.length === 0
        ? 'No reference sources available.'
        : 'No additional reference sources available for selection.';
    return { status: 'no_sources', message, ...(problems.length === 0 ? {} : { problems: [...problems] }) };
  }

  async #noneSelected(channel: SelectionChannel, message: string, signal: AbortSignal): Promise<JsonObject> {
    await channel.tell('No reference sources selected.', signal);
    return { status: 'none_selected', message };
  }

  /** All at once: each has its own time limit. */
  #contents(sources: readonly Source[], mayAsk: boolean, signal: AbortSignal): Promise<FoundSource[]> {
    const { content } = this.#parts;
    return Promise.all(
      sources.map(async (source) => ({ source, content: await content(source, { mayAsk, signal }) })),
    );
  }

  #entry(source: Source): JsonObject {
    const { id, name, description, type, mode, tags } = source;
    const selected = this.#selected.has(id);
    return { id, name, description, type, mode, tags: [...tags], selected, access: accessOf(source) };
  }
}
