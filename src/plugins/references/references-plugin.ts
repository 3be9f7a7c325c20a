// What a model should know: told from the beginning, or chosen by the user when it is needed.
import { systemClock, type Clock } from '../../base/clock.ts';
import { textsIn, type Json, type JsonObject } from '../../base/json.ts';
import type { Definition } from '../../definition/definition.ts';
import { definePlugin } from '../../definition/define-plugin.ts';
import { result } from '../../definition/result.ts';
import type { HostPorts } from '../host-ports.ts';
import { loadCatalog } from './catalog.ts';
import { createChannel } from './channels/create-channel.ts';
import { contentGetter } from './content/get-content.ts';
import { exposedName } from './content/mcp-content.ts';
import type { UrlOptions } from './content/url-content.ts';
import { Library } from './library.ts';
import { listText, selectionText } from './list-text.ts';
import { referencesConfig } from './settings.ts';
import { tagsOf, type Source } from './source.ts';

export interface ReferencesParts {
  /** @default the clock of the system */
  readonly clock?: Clock;
  /** @default as the system knows them */
  readonly addressesOf?: UrlOptions['addressesOf'];
}

/** A person may take their time; the channel ends it long before. */
const SELECT_MS = 3_700_000;

export function referencesPlugin(
  ports: Pick<
    HostPorts,
    'env' | 'cwd' | 'configFolder' | 'fetch' | 'now' | 'gate' | 'findTool' | 'isTrusted' | 'person' | 'print'
  >,
  { clock = systemClock, addressesOf }: ReferencesParts = {},
): Definition {
  let held: Library | undefined;
  const library = (): Library => {
    // Tools are called after setup alone.
    if (held === undefined) throw new Error('The references are not set up.');
    return held;
  };

  return definePlugin({
    name: 'references',
    version: '1.0.0',
    description:
      'Documents and rules that a model should know, from files, pages, MCP servers or the configuration.',
    instructions: () => held?.instructions,
    config: referencesConfig,
    setup: async (context) => {
      const { config, log, signal, instructionsChanged } = context;
      const warn = (message: string) => log('warn', message);
      const next = new Library({
        load: () => loadCatalog(config, ports),
        channelFor: ({ channel }) =>
          createChannel(config, channel, { ports, clock, warn, dataFolder: () => context.dataFolder }),
        content: contentGetter({
          config,
          ports,
          clock,
          ...(addressesOf === undefined ? {} : { addressesOf }),
        }),
        surroundings: (sources) => connectedServers(sources, ports),
        maxTotalChars: config.max_total_chars,
        now: ports.now,
        warn,
        instructionsChanged: () => {
          if (held === next) instructionsChanged();
        },
        signal,
      });
      await next.refresh();
      held = next;
    },
    teardown: () => {
      held = undefined;
    },
    autoApprove: ['selectReferences', 'listReferences'],
    tools: {
      selectReferences: {
        description:
          'Lets the user choose reference sources to include, and gives their content. Call it when your work touches the tags of a source; it says so when there is nothing to choose.',
        input: {
          type: 'object',
          properties: {
            context: {
              type: 'string',
              description: 'What the references are needed for, for the user who chooses.',
            },
            filter_tags: {
              type: 'array',
              items: { type: 'string' },
              description: 'Only sources with one of these tags.',
            },
          },
          additionalProperties: false,
        },
        timeoutMs: SELECT_MS,
        handler: ({ context, filter_tags = [] }, { signal }) =>
          library().select(context, filter_tags, signal),
      },
      listReferences: {
        description:
          'Lists the reference sources: how each is got, its tags, and whether the user has selected it.',
        input: {
          type: 'object',
          properties: {
            filter_tags: {
              type: 'array',
              items: { type: 'string' },
              description: 'Only sources with one of these tags.',
            },
            mode: { enum: ['all', 'auto', 'selectable'], default: 'all' },
          },
          additionalProperties: false,
        },
        hints: { readOnly: true },
        handler: ({ filter_tags = [], mode }) => library().list(filter_tags, mode),
      },
    },
    commands: {
      selectReferences: {
        description: 'Choose reference sources to include.',
        parameters: [
          { name: 'filter_tags', description: 'Only sources with one of these tags.', captureRest: true },
        ],
        shareWithModel: true,
        timeoutMs: SELECT_MS,
        handler: async ({ filter_tags: tags }, { signal }) => {
          const data = await library().select(undefined, typedTags(tags), signal);
          return result({ text: selectionText(data), data });
        },
        complete: (parameter, typed) => (parameter === 'filter_tags' ? completedTags(held, typed) : []),
      },
      listReferences: {
        description: 'List the reference sources.',
        parameters: [
          { name: 'mode', description: 'all, auto or selectable; anything else is taken for a tag.' },
          { name: 'filter_tags', description: 'Only sources with one of these tags.', captureRest: true },
        ],
        shareWithModel: true,
        handler: async ({ mode, filter_tags: tags }) => {
          const data = await listed(library(), mode, typedTags(tags));
          return result({ text: listText(data), data });
        },
        complete: (parameter, typed) => {
          const tags = completedTags(held, typed);
          return parameter === 'mode' ? [...modes.filter((one) => one.startsWith(typed)), ...tags] : tags;
        },
      },
    },
  });
}

const modes = ['all', 'auto', 'selectable'] as const;

function listed(library: Library, mode: Json | undefined, tags: readonly string[]): Promise<JsonObject> {
  const known = modes.find((one) => one === mode);
  if (known !== undefined || mode === undefined) return library.list(tags, known ?? 'all');
  return library.list([...typedTags(mode), ...tags], 'all');
}

/** As people type them: words, with or without commas. Programs give a list. */
function typedTags(value: Json | undefined): readonly string[] {
  return typeof value === 'string' ? value.split(/[\s,]+/).filter((tag) => tag !== '') : textsIn(value);
}

/** Of several that are typed, the last is being written. */
function completedTags(library: Library | undefined, typed: string): string[] {
  const begin = typed.slice(0, Math.max(typed.lastIndexOf(','), typed.lastIndexOf(' ')) + 1);
  const word = typed.slice(begin.length).toLowerCase();
  return tagsOf(library?.sources ?? [])
    .filter((tag) => tag.toLowerCase().startsWith(word))
    .map((tag) => begin + tag);
}

/** A server that is connected later brings what could not be got before. */
function connectedServers(sources: readonly Source[], ports: Pick<HostPorts, 'findTool'>): string {
  const automatic = sources.filter((source) => source.mode === 'auto');
  return automatic
    .map((source) => (source.type === 'mcp' ? (exposedName(source.server, source.tool, ports) ?? '-') : ''))
    .join();
}
