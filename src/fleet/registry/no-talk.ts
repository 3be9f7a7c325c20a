// For a tool that begins no conversation.
import { PluglotError } from '../../base/error.ts';

export function noTalk(plugin: string): PluglotError {
  return new PluglotError(
    'NOT_TALKING',
    `Plugin "${plugin}" holds no conversations, since it has no onInput. Call the tool instead of talking with it.`,
  );
}
