// A message as it is on the wire, from the form the code works with.
import type { Json } from '../../base/json.ts';
import type { Message, Received } from '../../channel/message/message.ts';

/** What was no message is the text that came. */
export function wireForm(message: Message | Received): Json {
  switch (message.kind) {
    case 'invalid':
      return message.text;
    case 'batch':
      return message.items.map(wireForm);
    default: {
      const { kind: _, ...rest } = message;
      // What was read from JSON, or is about to be written as such, is JSON; what is undefined is not written.
      return { jsonrpc: '2.0', ...(JSON.parse(JSON.stringify(rest)) as Readonly<Record<string, Json>>) };
    }
  }
}
