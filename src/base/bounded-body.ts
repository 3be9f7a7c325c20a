// The body of an answer over HTTP, read as far as somebody wants it: servers may send without end.

/** At most so many bytes; `isAll` when there were no more. What is over is not read. */
export async function boundedBody(
  { body }: Pick<Response, 'body'>,
  limitBytes: number,
): Promise<{ readonly bytes: Buffer; readonly isAll: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Fetch types it without the iteration that Node's has. Leaving the loop gives up the rest.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > limitBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, limitBytes), isAll: size <= limitBytes };
}
