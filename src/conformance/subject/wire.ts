// Bytes of a framing, made by hand and read into a transcript.
import type { Json } from '../../base/json.ts';
import { shown, textOf } from '../../base/shown.ts';
import type { FrameDecoder } from '../../channel/frame/framing.ts';
import { lengthPrefix } from '../../channel/frame/length-prefix.ts';
import { lines } from '../../channel/frame/lines.ts';
import type { Words } from '../drivers/words.ts';
import type { Transcript } from './transcript.ts';

/** The bytes of one message, or of a text that is none. */
export function frameOf(body: Json, framing: Words['framing']): Buffer {
  const bytes = Buffer.from(textOf(body));
  if (framing === 'lines') return Buffer.concat([bytes, Buffer.from('\n')]);
  const header = Buffer.alloc(4);
  header.writeUInt32BE(bytes.length);
  return Buffer.concat([header, bytes]);
}

export function transcriber(
  transcript: Transcript,
  framing: Words['framing'],
  now: () => number,
): FrameDecoder {
  return (framing === 'lines' ? lines() : lengthPrefix()).decoder({
    body: (text, start, end) => transcript.body(text.slice(start, end), now()),
    noise: (bytes) => transcript.printed(bytes.toString()),
    oversize: (size, head) => transcript.printed(`${shown(head)} … (a message of ${size} bytes)`),
    torn: (size) => transcript.printed(`(the first ${size} bytes of a message that is not whole)`),
  });
}
