// Server-sent events from the pieces of text in which they arrive, whatever the cuts; each piece is looked at once.

export interface ServerEvent {
  /** `message` where it has no name. */
  readonly name: string;
  readonly data: string;
}

/** Whoever sends a longer line is no host of ours. */
const EVENT_MAX = 64 * 1024 * 1024;

/** @returns what takes the next piece; it throws where an event is too large */
export function eventParser(onEvent: (event: ServerEvent) => void): (piece: string) => void {
  let parts: string[] = [];
  let size = 0;
  let name = '';
  let data: string[] = [];

  const endLine = (line: string) => {
    if (line === '') {
      if (data.length > 0) onEvent({ name: name === '' ? 'message' : name, data: data.join('\n') });
      name = '';
      data = [];
      size = 0;
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') name = value;
    else if (field === 'data') data.push(value);
  };

  return (piece) => {
    size += piece.length;
    if (size > EVENT_MAX) throw new Error('An event of the host is too large to be read.');
    let start = 0;
    for (let end = piece.indexOf('\n'); end >= 0; end = piece.indexOf('\n', start)) {
      const line = [...parts, piece.slice(start, end)].join('');
      parts = [];
      start = end + 1;
      endLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    }
    if (start < piece.length) parts.push(piece.slice(start));
  };
}
