// The body of an HTTP response, read up to a limit: servers may send without end.

/** At most `limit` bytes; `isAll` if the body had no more. The rest is not read. */
export async function boundedBody(
  { body }: Pick<Response, 'body'>,
  limitBytes: number,
): Promise<{ readonly bytes: Buffer; readonly isAll: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // The types of fetch lack the async iteration that Node has. Leaving the loop cancels the rest.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > limitBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, limitBytes), isAll: size <= limitBytes };
}
