// Damaged streams through the framings and the message decoder. Nothing may throw, hang or grow, and chunks may make no difference.
import { textOf } from '../../src/channel/frame/body.ts';
import v8 from 'node:v8';
import vm from 'node:vm';
import type { FrameLimits, Framing } from '../../src/channel/frame/framing.ts';
import { lengthPrefix } from '../../src/channel/frame/length-prefix.ts';
import { lines } from '../../src/channel/frame/lines.ts';
import { type Decode, decodeAny, messageDecoder } from '../../src/channel/message/decode.ts';
import { messageEncoder } from '../../src/channel/message/encode.ts';
import type { Message, Received } from '../../src/channel/message/message.ts';
import { strict, tolerant } from '../../src/channel/message/tolerances.ts';
import { decodeChunks, type FrameEvent } from '../support/channel/frame-events.ts';
import { referenceLengthPrefix, referenceLines } from '../support/channel/reference-framing.ts';
import { makeChunks, makeInput } from './input.ts';
import { Random } from './random.ts';

type MakeFraming = (limits: FrameLimits) => Framing;

type Target = { readonly make: MakeFraming; readonly reference: MakeFraming };

export type FuzzOptions = {
  readonly seed: number;
  readonly count: number;
  /**
   * The index of the first input.
   * @default 0
   */
  readonly first?: number;
  /**
   * What is tried.
   * @default both framings
   */
  readonly targets?: readonly Target[];
  /**
   * How long a thousand inputs may take before they count as hanging.
   * @default 60,000
   */
  readonly hangMs?: number;
};

export type FuzzResult = {
  readonly inputs: number;
  readonly bytes: number;
  readonly bodies: number;
  readonly grownBytes: number;
};

/** The index to begin with: from PLUGLOT_FUZZ_FIRST, to look at one failure again. */
export function fuzzFirst(): number {
  return Number(process.env['PLUGLOT_FUZZ_FIRST'] ?? 0);
}

/** @throws an Error that names seed and index of the input that broke something, and how to have it again. */
export function fuzz({
  seed,
  count,
  first = 0,
  targets = framings,
  hangMs = 60_000,
}: FuzzOptions): FuzzResult {
  let index = first;
  let bytes = 0;
  let bodies = 0;
  const run = (end: number) => {
    for (; index < end; index++) {
      const random = new Random(seed, index);
      const input = makeInput(random);
      bytes += input.length;
      for (const target of targets) bodies += tryInput(target, input, random, index);
    }
  };
  const memoryBefore = memoryInUse();
  const { stackTraceLimit } = Error;
  // Most inputs do not parse, and collecting stack traces would be most of the work.
  Error.stackTraceLimit = 0;
  try {
    for (const last = first + count; index < last;) {
      // Only from outside can a loop without end be ended.
      vm.runInNewContext('run(end)', { run, end: Math.min(last, index + 1000) }, { timeout: hangMs });
    }
  } catch (cause) {
    const again = `PLUGLOT_SEED=${seed} PLUGLOT_FUZZ_FIRST=${index}`;
    const input = makeInput(new Random(seed, index)).toString('base64');
    const why = isTimeout(cause) ? `no end after ${hangMs} ms` : String(cause);
    throw new Error(`Input ${index} of seed ${seed} (${again}): ${why}\nThe input in base64: ${input}`, {
      cause,
    });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  const grownBytes = memoryInUse() - memoryBefore;
  if (grownBytes > GROWTH_MAX)
    throw new Error(`Seed ${seed}: ${count} inputs left ${grownBytes} bytes behind.`);
  return { inputs: count, bytes, bodies, grownBytes };
}

const framings: readonly Target[] = [
  { make: lines, reference: referenceLines },
  { make: lengthPrefix, reference: referenceLengthPrefix },
];

/** What the test's own bookkeeping and compiled code may add. */
const GROWTH_MAX = 24 * 1024 * 1024;

/** How many bodies it had. */
function tryInput(target: Target, input: Buffer, random: Random, index: number): number {
  const limits = { receiveLimit: random.pick([50, 300, 1000, 16 * 1024 * 1024]) };
  const framing = target.make(limits);
  const whole = decodeChunks(framing, [input]);
  checkWork(whole, input.length);
  const expected = JSON.stringify(whole);
  const chunks = makeChunks(input, random);
  demand(
    JSON.stringify(decodeChunks(framing, chunks)) === expected,
    'how it is cut into chunks makes a difference',
  );
  if (index % 8 === 0) {
    const plain = JSON.stringify(decodeChunks(target.reference(limits), [input]));
    demand(plain === expected, 'the reference decodes it otherwise');
  }
  // They remember methods, so each input has its own: it must fail alone as it fails among others.
  const decoders = { strict: messageDecoder(strict), tolerant: messageDecoder(tolerant) };
  let bodies = 0;
  for (const event of whole) {
    if (!('body' in event)) continue;
    bodies += 1;
    tryBody(event.body, decoders);
  }
  return bodies;
}

/** What is told of an input is no more than the input. */
function checkWork(events: readonly FrameEvent[], size: number): void {
  let told = 0;
  for (const event of events) {
    if ('body' in event) told += event.body.length;
    else if ('noise' in event) told += event.noise.length;
    else if ('oversize' in event) told += event.head.length;
  }
  demand(told <= size, `${told} characters were told of ${size} bytes`);
  demand(events.length <= size + 1, `${events.length} things were told of ${size} bytes`);
}

function tryBody(body: string, decode: { readonly strict: Decode; readonly tolerant: Decode }): void {
  const around = `{"${body}"}`;
  const decoded = decode.strict(around, 2, 2 + body.length);
  demand(same(decoded, decodeAny(body, strict)), 'the fast decoder reads it otherwise');
  const tolerated = decode.tolerant(body, 0, body.length);
  demand(same(tolerated, decodeAny(body, tolerant)), 'the fast decoder reads it otherwise when tolerant');
  if (decoded.kind === 'invalid' && decoded.as === 'parse')
    demand(!isJson(body), 'it is JSON and was not read as such');
  if (!isMessage(decoded)) return;
  // What is sent on has only what JSON-RPC knows, so the second time it is the same.
  const sentOn = encode(decoded);
  const read = decode.strict(sentOn, 0, sentOn.length);
  demand(isMessage(read) && encode(read) === sentOn, 'what is sent on cannot be read again');
}

const encoder = messageEncoder();
const encode = (message: Message) => textOf(encoder(message));

function isMessage(received: Received): received is Message {
  return received.kind === 'batch'
    ? received.items.every((item) => item.kind !== 'invalid')
    : received.kind !== 'invalid';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function same(one: Received, other: Received): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function demand(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

function isTimeout(error: unknown): boolean {
  // No instanceof: it may be an Error of the other context.
  return (error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function memoryInUse(): number {
  v8.setFlagsFromString('--expose-gc');
  // The flag gives the function to contexts that are made after it.
  const collect = vm.runInNewContext('gc') as () => void;
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
