/**
 * @param {import('node:stream').Readable} readable
 * @param {(message: unknown) => void} receive
 */
export function readLines(readable, receive) {
  let buffer = '';
  readable.setEncoding('utf8');
  readable.on('data', (chunk) => {
    buffer += chunk;
    const lines = buffer.split('\n');
    buffer = lines.pop();
    for (const line of lines) receive(JSON.parse(line));
  });
}
