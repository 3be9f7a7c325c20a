// The arguments as JSON, for those who would rather type them.
import { isJsonObject, type JsonObject } from '../../../../../base/json.ts';
import { prettyJson } from '../../lib/json-node.ts';

export function ArgumentsText({
  args,
  text,
  onType,
}: {
  readonly args: JsonObject;
  /** As it was typed. */
  readonly text: string | undefined;
  /** `read`: what it says, once it can be read. */
  readonly onType: (typed: string, read: JsonObject | undefined) => void;
}) {
  const problem = text === undefined ? undefined : problemOfJson(text);
  return (
    <div class="stack tight-stack">
      <textarea
        class="mono"
        rows={10}
        aria-label="Arguments as JSON"
        aria-invalid={problem !== undefined}
        spellcheck={false}
        value={text ?? prettyJson(args)}
        onInput={({ currentTarget: { value } }) =>
          onType(value, problemOfJson(value) === undefined ? (JSON.parse(value) as JsonObject) : undefined)
        }
      />
      {problem === undefined ? null : <p class="bad-text small">{problem}</p>}
    </div>
  );
}

export function problemOfJson(text: string): string | undefined {
  try {
    return isJsonObject(JSON.parse(text)) ? undefined : 'Arguments are one JSON object: { … }';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
