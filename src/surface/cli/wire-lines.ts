// Messages on the wire, for -vv.
import { printable } from '../../base/printable.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { Message, Received } from '../../channel/message/message.ts';
import { shownMessage } from '../../fleet/recording/shown-message.ts';
import type { Terminal } from './terminal.ts';

export function tellMessage(
  { line, colours }: Terminal,
  secrets: Secrets,
  who: string,
  direction: 'sent' | 'received',
  message: Message | Received,
): void {
  const { dim, cyan, magenta } = colours;
  const arrow = direction === 'sent' ? cyan('→') : magenta('←');
  const { text, size } = shownMessage(message, secrets, LENGTH_MAX);
  const cut = text.length < size ? `… (${size} characters)` : '';
  line(`${arrow} ${who}${dim(printable(`${text}${cut}`))}`);
}

const LENGTH_MAX = 4000;
