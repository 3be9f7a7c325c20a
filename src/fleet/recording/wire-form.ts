// A message as it is on the wire, from the form the code works with.
import type { Json } from '../../base/json.ts';
import type { Message, Received } from '../../channel/message/message.ts';

/** To be written as JSON; what was no message is the text that came. */
export function onWire(message: Message | Received): unknown {
  switch (message.kind) {
    case 'invalid':
      return message.text;
    case 'batch':
      return message.items.map(onWire);
    default: {
      const { kind: _, ...rest } = message;
      return { jsonrpc: '2.0', ...rest };
    }
  }
}

/** The same as a value of JSON: what is undefined is not written. */
export function wireForm(message: Message | Received): Json {
  // What was read from JSON, or is about to be written as such, is JSON.
  return JSON.parse(JSON.stringify(onWire(message))) as Json;
}
