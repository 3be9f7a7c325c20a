// The references of a session: all sources, those that the user has selected, and the instructions for models.
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../base/json.ts';
import { oneByOne } from '../../base/async.ts';
import { printableLine } from '../../base/printable.ts';
import { sentence } from '../../base/text.ts';
import { loadCatalog, type Catalog, type CatalogPorts } from './catalog.ts';
import { contentOf, exposedName, type ContentParts } from './content.ts';
import { createSelector, type Selector, type SelectorParts } from './selection.ts';
import { accessOf, type FoundSource, type Source, sourcesText, tagsOf, withTags } from './source.ts';

export interface LibraryParts extends ContentParts, Pick<SelectorParts, 'warn' | 'dataFolder'> {
  readonly ports: ContentParts['ports'] & SelectorParts['ports'] & CatalogPorts;
  readonly instructionsChanged: () => void;
  /** Of the plugin. */
  readonly signal: AbortSignal;
}

export class Library {
  readonly #parts: LibraryParts;
  readonly #selected = new Set<string>();
  #catalog: Catalog = { sources: [], channel: {}, problems: [] };
  #selector: Selector | undefined;
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

  /** Loads automatic sources again when something has changed. */
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
    const { config, ports, warn, instructionsChanged } = this.#parts;
    const catalog = await loadCatalog(config, ports);
    const seen = JSON.stringify([catalog, connectedServers(catalog.sources, ports)]);
    if (seen === this.#seen) return;
    const selector = createSelector(config, catalog.channel, this.#parts);
    for (const problem of catalog.problems) if (!this.#catalog.problems.includes(problem)) warn(problem);
    this.#seen = seen;
    this.#catalog = catalog;
    this.#selector = selector;
    const automatic = catalog.sources.filter(({ mode }) => mode === 'auto');
    const selectable = catalog.sources.filter(({ mode }) => mode === 'selectable');
    const found = await this.#contents(automatic, false, this.#parts.signal);
    this.#instructions = instructionsText(found, selectable, this.#parts.config.max_total_chars);
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
    const selector = this.#selector;
    if (available.length === 0 || selector === undefined) return this.#nothingToChoose();
    const request = {
      request_id: randomUUID(),
      timestamp: this.#parts.ports.now().toISOString(),
      context: context === undefined || context.trim() === '' ? null : context.trim().slice(0, 2000),
      sources: available,
    };
    const selection = await selector.choose(request, signal);
    switch (selection.kind) {
      case 'failed':
        return {
          status: 'unavailable',
          message: `No reference sources were selected: ${sentence(selection.reason)} Fix it, or set channel_type to another of "console", "webhook" and "file".`,
        };
      case 'late':
        return this.#noneSelected(
          selector,
          'The user did not choose in time, so no reference sources were selected.',
          signal,
        );
      case 'withdrawn':
        return this.#noneSelected(selector, 'User did not select any reference sources.', signal);
      case 'answered':
        return selection.answer.length === 0
          ? this.#noneSelected(selector, 'User did not select any reference sources.', signal)
          : this.#chosen(selector, available, selection.answer, signal);
    }
  }

  async #chosen(
    selector: Selector,
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
      return this.#noneSelected(selector, 'None of the sources that were chosen was offered.', signal);
    for (const { id } of chosen) this.#selected.add(id);
    const found = await this.#contents(chosen, true, signal);
    const count = chosen.length === 1 ? 'One reference source is' : `${chosen.length} reference sources are`;
    await selector.report(`${count} selected and given to the model.`, signal);
    return {
      status: 'success',
      selected_count: chosen.length,
      message:
        'The user has selected the following reference sources. Use their content; where it is not included, get it as described.',
      sources: sourcesText(found, this.#parts.config.max_total_chars),
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

  async #noneSelected(selector: Selector, message: string, signal: AbortSignal): Promise<JsonObject> {
    await selector.report('No reference sources selected.', signal);
    return { status: 'none_selected', message };
  }

  /** All at once: each has its own time limit. */
  #contents(sources: readonly Source[], mayAsk: boolean, signal: AbortSignal): Promise<FoundSource[]> {
    return Promise.all(
      sources.map(async (source) => {
        return { source, content: await contentOf(source, { mayAsk, signal }, this.#parts) };
      }),
    );
  }

  #entry(source: Source): JsonObject {
    const { id, name, description, type, mode, tags } = source;
    const selected = this.#selected.has(id);
    return { id, name, description, type, mode, tags: [...tags], selected, access: accessOf(source) };
  }
}

/** Content becomes available when its server is connected. */
function connectedServers(sources: readonly Source[], ports: LibraryParts['ports']): string {
  const automatic = sources.filter((source) => source.mode === 'auto');
  return automatic
    .map((source) => (source.type === 'mcp' ? (exposedName(source.server, source.tool, ports) ?? '-') : ''))
    .join();
}

const TAGS_SHOWN = 100;

/** Undefined without sources. */
export function instructionsText(
  automatic: readonly FoundSource[],
  selectable: readonly Source[],
  maxChars: number,
): string | undefined {
  const parts = [
    ...(automatic.length === 0 ? [] : [known, sourcesText(automatic, maxChars)]),
    ...(selectable.length === 0 ? [] : [offered(selectable)]),
  ];
  return parts.length === 0 ? undefined : ['# Reference Sources', ...parts].join('\n\n');
}

const known =
  'These sources belong to your work here: take them into account. Where content is not included, get it as described when you need it.';

function offered(sources: readonly Source[]): string {
  const tags = tagsOf(sources).map((tag) => printableLine(tag));
  const shown = tags.slice(0, TAGS_SHOWN).join(', ') + (tags.length > TAGS_SHOWN ? ' …' : '');
  const count = sources.length === 1 ? 'One further source' : `${sources.length} further sources`;
  return [
    `${count} can be chosen by the user. listReferences lists them, and whether they are selected.`,
    'When your work touches one of their tags, call selectReferences with filter_tags, and explain in context what for.',
    ...(shown === '' ? [] : [`Tags: ${shown}`]),
  ].join('\n');
}
