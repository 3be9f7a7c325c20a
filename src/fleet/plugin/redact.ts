// Masks secrets in what plugins send besides results: manifests, logs, progress, failures.
import { isDeeperThan, isJsonArray, isJsonObject, type Json, JSON_DEPTH_MAX } from '../../base/json.ts';
import { withTexts } from '../../secrets/masked-text.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { Health, Manifest } from '../../definition/manifest.ts';
import type { Answer, CallEvent, CallFailure } from '../../definition/outcome.ts';
import type { JsonSchema, LogEntry, Tool } from '../../definition/tool.ts';

/** What is behind that is looked through for what is known alone: a guess takes its time. */
const GUESSED_MAX = 64 * 1024;

export function redactLog({ level, message, data }: LogEntry, secrets: Secrets): LogEntry {
  const shown = redactText(message, secrets);
  return {
    level,
    message: shown,
    ...(data !== undefined && { data: safely(data, (it) => secrets.maskJson(it)) }),
  };
}

function redactText(text: string, secrets: Secrets): string {
  if (text.length <= GUESSED_MAX) return secrets.mask(text);
  const known = secrets.maskKnown(text);
  return secrets.mask(known.slice(0, GUESSED_MAX)) + known.slice(GUESSED_MAX);
}

/** What is streamed is a part of the answer. */
export function redactEvent(event: CallEvent, secrets: Secrets): CallEvent {
  if (event.kind === 'log') return { kind: 'log', ...redactLog(event, secrets) };
  if (event.kind === 'text' || event.message === undefined) return event;
  return { ...event, message: secrets.mask(event.message) };
}

export function redactAnswer(answer: Answer, secrets: Secrets): Answer {
  return answer.ok ? answer : { ...answer, error: redactFailure(answer.error, secrets) };
}

function redactFailure(failure: CallFailure, secrets: Secrets): CallFailure {
  const { message, data, details, reason, suggestions, stderr } = failure;
  const known = (text: string) => secrets.maskKnown(text);
  const json = (value: Json) => safely(value, (it) => withTexts(it, known));
  return {
    ...failure,
    message: known(message),
    ...(data !== undefined && { data: json(data) }),
    ...(details !== undefined && { details: json(details) }),
    ...(reason !== undefined && { reason: known(reason) }),
    ...(suggestions !== undefined && { suggestions: suggestions.map(known) }),
    ...(stderr !== undefined && { stderr: secrets.mask(stderr, 'piece') }),
  };
}

export function redactHealth(health: Health, secrets: Secrets): Health {
  const { message, details } = health;
  return {
    ...health,
    ...(message !== undefined && { message: secrets.maskKnown(message) }),
    ...(details !== undefined && { details: safely(details, (it) => secrets.maskJson(it)) }),
  };
}

/** What calls are made by stays as it is: names of tools, and what their schemas allow. */
export function redactManifest(manifest: Manifest, secrets: Secrets): Manifest {
  if (!holdsKnown(manifest, secrets)) return manifest;
  const { tools, name, version, description, author, instructions, capabilities, configApplied, raw } =
    manifest;
  const known = (text: string) => secrets.maskKnown(text);
  const json = (value: Json) => safely(value, (it) => withTexts(it, known));
  return {
    ...manifest,
    name: known(name),
    version: known(version),
    ...(description !== undefined && { description: known(description) }),
    ...(author !== undefined && { author: known(author) }),
    ...(instructions !== undefined && { instructions: known(instructions) }),
    ...(capabilities !== undefined && { capabilities: json(capabilities) }),
    ...(configApplied !== undefined && { configApplied: json(configApplied) }),
    tools: redactTools(tools, secrets),
    raw: json(raw),
  };
}

export function redactTools(tools: readonly Tool[], secrets: Secrets): readonly Tool[] {
  const known = (text: string) => secrets.maskKnown(text);
  return tools.map((tool) => {
    if (!holdsKnown(tool, secrets)) return tool;
    const { title, description, inputSchema, outputSchema } = tool;
    return {
      ...tool,
      ...(title !== undefined && { title: known(title) }),
      ...(description !== undefined && { description: known(description) }),
      ...(inputSchema !== undefined && { inputSchema: redactSchema(inputSchema, known) }),
      ...(outputSchema !== undefined && { outputSchema: redactSchema(outputSchema, known) }),
    };
  });
}

/** Most have nothing to hide, and stay the objects that they are. */
function holdsKnown(value: Manifest | Tool, secrets: Secrets): boolean {
  try {
    const text = JSON.stringify(value);
    return secrets.maskKnown(text) !== text;
  } catch {
    return true;
  }
}

function redactSchema(schema: JsonSchema, known: (text: string) => string): JsonSchema {
  try {
    // An object stays one.
    return typeof schema === 'boolean' ? schema : (withProse(schema, known) as JsonSchema);
  } catch {
    // Nested too deeply to be looked through, and to be shown.
    return schema;
  }
}

/** Texts for people alone. Where a property has such a name, what stands under it is a schema and no text. */
function withProse(value: Json, change: (text: string) => string, key = ''): Json {
  if (typeof value === 'string') return prose.has(key) ? change(value) : value;
  if (isJsonArray(value)) return value.map((item) => withProse(item, change, key === 'examples' ? key : ''));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withProse(inner, change, name)]),
  );
}

const prose: ReadonlySet<string> = new Set(['description', 'title', '$comment', 'examples']);

/** A plugin can nest deeper than can be searched. */
function safely(value: Json, mask: (value: Json) => Json): Json {
  return isDeeperThan(value, JSON_DEPTH_MAX) ? '(nested too deeply to be shown)' : mask(value);
}
