// One call of a tool for the test suite of a plugin: in this process, as a host makes it, without a host.
import fs from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { systemClock } from '../base/clock.ts';
import type { JsonObject } from '../base/json.ts';
import type { Definition } from '../definition/definition.ts';
import type { AnswerContent, CallEvent, CallFailure } from '../definition/outcome.ts';
import { runDefinition } from '../definition/run/run-definition.ts';

export interface CallToolOptions {
  /** What a host would configure. @default {} */
  readonly config?: JsonObject;
  /** @default 10 seconds */
  readonly timeoutMs?: number;
}

export interface ToolCall extends AnswerContent {
  readonly ok: boolean;
  /** Why it failed. */
  readonly error?: CallFailure;
  /** What was streamed and logged, and the progress, in that order. */
  readonly events: readonly CallEvent[];
}

/**
 * Sets the plugin up, checks the arguments, calls the tool, and takes the plugin down. A call that fails resolves too, with `ok: false`.
 * @throws PluglotError when the plugin cannot be set up
 */
export async function callTool(
  definition: Definition,
  tool: string,
  args: JsonObject = {},
  { config = {}, timeoutMs = 10_000 }: CallToolOptions = {},
): Promise<ToolCall> {
  const events: CallEvent[] = [];
  let folder: string | undefined;
  const backend = runDefinition(definition, {
    clock: systemClock,
    dataFolder: () => (folder ??= mkdtempSync(path.join(os.tmpdir(), 'pluglot-test-'))),
    // A test is about the plugin, not about what this machine has.
    hasCommand: () => true,
    readFile: (file) => fs.readFile(file),
    log: (entry) => void events.push({ kind: 'log', ...entry }),
  });
  try {
    await backend.setup(config);
    const answer = await new Promise<Omit<ToolCall, 'events'>>((resolve) => {
      const sink = { event: (event: CallEvent) => void events.push(event), end: resolve };
      backend.call({ dialect: 'in-process', timeoutMs, tool, args }, sink);
    });
    return { ...answer, events };
  } finally {
    await backend.teardown();
    if (folder !== undefined) await fs.rm(folder, { recursive: true, force: true });
  }
}
