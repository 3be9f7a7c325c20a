// Documents for models: in the instructions, or selected by the user when they are needed.
import { systemClock, type Clock } from '../../base/clock.ts';
import { textsIn, type Json, type JsonObject, isJsonArray, isJsonObject } from '../../base/json.ts';
import { printable, printableLine } from '../../base/printable.ts';
import { textOf } from '../../base/text.ts';
import { definePlugin } from '../../definition/define-plugin.ts';
import type { Definition } from '../../definition/definition.ts';
import { result } from '../../definition/outcome.ts';
import { Library, type LibraryParts } from './library.ts';
import { referencesConfig } from './settings.ts';
import { tagsOf } from './source.ts';

interface ReferencesParts {
  /** @default the system clock */
  readonly clock?: Clock;
  /** The addresses of a host. @default from the system */
  readonly addressesOf?: LibraryParts['addressesOf'];
}

/** Longer than any time limit of a channel. */
const SELECT_MS = 3_700_000;

export function referencesPlugin(
  ports: LibraryParts['ports'],
  { clock = systemClock, addressesOf }: ReferencesParts = {},
): Definition {
  let held: Library | undefined;
  const library = (): Library => {
    // Tools are only called after setup.
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
      const next = new Library({
        config,
        ports,
        clock,
        addressesOf,
        signal,
        warn: (message) => log('warn', message),
        dataFolder: () => context.dataFolder,
        instructionsChanged: () => {
          if (held === next) instructionsChanged();
        },
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
          'Lets the user select reference sources, and returns their content. Call it when your work touches the tags of a source; it reports when there is nothing to select.',
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
          'Lists the reference sources: how each is accessed, its tags, and whether the user has selected it.',
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
          { name: 'mode', description: 'all, auto or selectable; anything else is a tag.' },
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

/** Typed with or without commas; programs send a list. */
function typedTags(value: Json | undefined): readonly string[] {
  return typeof value === 'string' ? value.split(/[\s,]+/).filter((tag) => tag !== '') : textsIn(value);
}

/** Completes the last of several tags. */
function completedTags(library: Library | undefined, typed: string): string[] {
  const begin = typed.slice(0, Math.max(typed.lastIndexOf(','), typed.lastIndexOf(' ')) + 1);
  const word = typed.slice(begin.length).toLowerCase();
  return tagsOf(library?.sources ?? [])
    .filter((tag) => tag.toLowerCase().startsWith(word))
    .map((tag) => begin + tag);
}

function listText(data: JsonObject): string {
  const sources = isJsonArray(data['sources']) ? data['sources'].filter(isJsonObject) : [];
  const lines = sources.flatMap((source) => {
    const word = (key: string) => printableLine(textOf(source[key]));
    const tags = textsIn(source['tags']).map((tag) => printableLine(tag));
    const state =
      source['mode'] === 'auto'
        ? 'always included'
        : source['selected'] === true
          ? 'selected'
          : 'not selected';
    return [
      `${word('id')}  ${word('name')}  (${state})`,
      `    ${word('access')}${tags.length === 0 ? '' : `   Tags: ${tags.join(', ')}`}`,
    ];
  });
  return [...(lines.length === 0 ? ['No reference sources available.'] : lines), ...problemLines(data)].join(
    '\n',
  );
}

function selectionText(data: JsonObject): string {
  const { message, sources } = data;
  return [
    printableLine(textOf(message), 500),
    ...(typeof sources === 'string' ? ['', printable(sources)] : []),
    ...problemLines(data),
  ].join('\n');
}

function problemLines({ problems }: JsonObject): string[] {
  return textsIn(problems).map((problem) => `! ${printableLine(problem, 1000)}`);
}
