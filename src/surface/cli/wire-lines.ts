// Messages on the wire, for -vv.
import { isJsonObject, type Json } from '../../base/json.ts';
import type { Message, Received } from '../../channel/message/message.ts';
import { maskedEntry } from '../../fleet/discovery/secrets.ts';
import { printable } from '../../base/printable.ts';
import type { Terminal } from './terminal.ts';

export function tellMessage(
  { line, colours }: Terminal,
  who: string,
  direction: 'sent' | 'received',
  message: Message | Received,
): void {
  const { dim, cyan, magenta } = colours;
  const arrow = direction === 'sent' ? cyan('→') : magenta('←');
  line(`${arrow} ${who}${dim(printable(cut(textOf(message))))}`);
}

/** As JSON, close to what is on the wire; what looks like a secret is masked. */
function textOf(message: Message | Received): string {
  if (message.kind === 'invalid') return message.text;
  if (message.kind === 'batch') return `[${message.items.map(textOf).join(',')}]`;
  const { kind: _, ...rest } = message;
  // What was read from JSON, or is about to be written as such, is JSON.
  const { config } = maskedEntry({ config: { message: rest as unknown as Json } });
  return JSON.stringify(isJsonObject(config) ? config['message'] : rest);
}

const LENGTH_MAX = 4000;

function cut(text: string): string {
  return text.length <= LENGTH_MAX ? text : `${text.slice(0, LENGTH_MAX)}… (${text.length} characters)`;
}
