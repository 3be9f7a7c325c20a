// Runs a frame decoder and records its events, in a form that is equal for equal decodings.
import type { Encoded } from '../../../src/channel/bytes/pipe.ts';
import type { FrameDecoder, FrameSink, Framing } from '../../../src/channel/frame/framing.ts';

export type FrameEvent =
  | { readonly body: string }
  /** One character per byte. Pieces of one run are joined, since their cuts depend on the chunks. */
  | { readonly noise: string }
  | { readonly oversize: number; readonly head: string }
  | { readonly torn: number };

/** What the chunks decode to. Each is copied first: a decoder may overwrite what it is given. */
export function decodeChunks(framing: Framing, chunks: Iterable<Uint8Array>): FrameEvent[] {
  const { events, decoder } = recordingDecoder(framing);
  for (const chunk of chunks) {
    const copy = Buffer.from(chunk);
    decoder.push(copy);
    // What a decoder keeps it must have copied: the memory belongs to the next read.
    copy.fill(0x58);
  }
  decoder.end();
  return events;
}

export function recordingDecoder(framing: Framing): { events: FrameEvent[]; decoder: FrameDecoder } {
  const events: FrameEvent[] = [];
  return { events, decoder: framing.decoder(recordingSink(events)) };
}

function recordingSink(events: FrameEvent[]): FrameSink {
  return {
    body: (text, start, end) => void events.push({ body: text.slice(start, end) }),
    noise(bytes) {
      const last = events.at(-1);
      const before = last !== undefined && 'noise' in last ? last.noise : undefined;
      if (before !== undefined) events.pop();
      events.push({ noise: (before ?? '') + bytes.toString('latin1') });
    },
    oversize: (oversize, head) => void events.push({ oversize, head }),
    torn: (torn) => void events.push({ torn }),
  };
}

/** Cuts bytes at the given places; they may be unordered, repeated or outside. */
export function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const inside = places.filter((place) => place > 0 && place < bytes.length).sort((a, b) => a - b);
  return [0, ...inside].map((start, index) => bytes.subarray(start, inside[index] ?? bytes.length));
}

export function byteByByte(bytes: Buffer): Buffer[] {
  return Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
}

/** What goes over the wire. */
export function toBytes(encoded: Encoded): Buffer {
  if (encoded instanceof Uint8Array) return Buffer.from(encoded);
  if (typeof encoded === 'object' && 'text' in encoded) return Buffer.from(encoded.text);
  return Buffer.from([encoded].flat().join(''), 'latin1');
}
