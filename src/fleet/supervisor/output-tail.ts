// The last bytes a process printed, in bounded memory: what a failure report shows of stderr.

export interface OutputTail {
  push(chunk: Uint8Array): void;
  /** What is kept, as text; when something was dropped, it starts at the first whole line. */
  text(): string;
}

export function outputTail(limit: number): OutputTail {
  let kept: Uint8Array[] = [];
  let size = 0;
  let dropped = false;
  const join = (): Buffer => {
    const all = Buffer.concat(kept);
    dropped ||= all.length > limit;
    return all.subarray(Math.max(0, all.length - limit));
  };
  return {
    push(chunk) {
      kept.push(chunk);
      size += chunk.length;
      // Compacting at twice the limit copies each byte a constant number of times, however small the chunks.
      if (size <= 2 * limit) return;
      const tail = Buffer.from(join());
      kept = [tail];
      size = tail.length;
    },
    text() {
      const tail = join();
      return tail.subarray(dropped ? startOfLine(tail) : 0).toString('utf8');
    },
  };
}

const LF = 0x0a;

function startOfLine(bytes: Buffer): number {
  const lineEnd = bytes.indexOf(LF);
  return lineEnd === -1 || lineEnd === bytes.length - 1 ? 0 : lineEnd + 1;
}
