// A YAMS host end that has been through its start-up with a raw end, and transcripts in the manner of the specification.
import { expect } from 'vitest';
import type { WirePort } from '../../../../src/dialect/host-dialect.ts';
import { yams } from '../../../../src/dialect/yams/host.ts';
import { hostAndRawEnd, type HostOptions, type Told } from '../dialect-host.ts';
import type { RawEnd } from '../../channel/raw-end.ts';

export interface StartOptions extends HostOptions {
  readonly manifest?: unknown;
  readonly init?: unknown;
}

export const extractorManifest = {
  name: 'the_extractor',
  version: '1.0.0',
  interfaces: ['content_extractor_v1'],
  capabilities: { content_extraction: { formats: ['text/Markdown', 'image/*'], extensions: ['.md', 'TXT'] } },
};

/** Answers handshake and init, so that a test can go on from there. */
export async function started(
  options: StartOptions = {},
): Promise<{ end: WirePort; raw: RawEnd; told: Told }> {
  const { raw, connected, told } = hostAndRawEnd(yams, 'lines', options);
  await reply(raw, 'handshake.manifest', 'manifest' in options ? options.manifest : extractorManifest);
  await reply(raw, 'plugin.init', 'init' in options ? options.init : { status: 'initialized' });
  return { end: await connected, raw, told };
}

/** Answers the next request, which has to be of this method; gives its params. */
export async function reply(raw: RawEnd, method: string, result: unknown): Promise<unknown> {
  const request = await raw.nextRequest();
  expect(request.method).toBe(method);
  raw.answer(request.id, result);
  return request.params;
}

/** Answers the next request with an error. */
export async function replyError(raw: RawEnd, error: unknown): Promise<void> {
  const { id } = await raw.nextRequest();
  raw.send({ jsonrpc: '2.0', id, error });
}

/**
 * Plays the plugin by a transcript: `→` is what the host has to send, to the letter, `←` what is answered then.
 * A line that begins with `#` is for the reader.
 */
export async function play(raw: RawEnd, transcript: string): Promise<void> {
  for (const line of transcript.trim().split('\n')) {
    const [, direction, text = ''] = /^\s*(→|←|#|$)\s*(.*)$/.exec(line) ?? [];
    if (direction === undefined) throw new Error(`No line of a transcript: ${line}`);
    if (direction === '→') expect(await raw.next()).toEqual(JSON.parse(text));
    if (direction === '←') raw.sendText(text);
  }
}
