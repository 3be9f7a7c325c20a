// What is sent: a small call, and payloads as tools really return them (records with text and numbers).

/** With its envelope about 120 bytes. */
export const smallCall = { tool: 'search', query: 'status of build 4711', limit: 10, exact: true };

/**
 * `share` is the part of the rounds that a size gets: the largest take seconds in some libraries, and at 64 KiB, where JSON
 * is nearly all the work, the first ones are so close that it takes many windows to tell them apart.
 */
export const payloadSizes = /** @type {const} */ ([
  { id: '1KiB', label: '1 KiB', bytes: 1024, inFlight: 64, share: 1 },
  { id: '64KiB', label: '64 KiB', bytes: 64 * 1024, inFlight: 1, share: 2 },
  { id: '1MiB', label: '1 MiB', bytes: 1024 * 1024, inFlight: 1, share: 1 },
  { id: '8MiB', label: '8 MiB', bytes: 8 * 1024 * 1024, inFlight: 1, share: 0.4 },
]);

/**
 * Records until the JSON text has about that many bytes; the same for everyone.
 * @param {number} bytes
 */
export function payloadOf(bytes) {
  const items = [];
  for (let index = 0, size = '{"items":[]}'.length; size < bytes; index++) {
    const item = recordOf(index);
    items.push(item);
    size += JSON.stringify(item).length + 1;
  }
  return { items };
}

/** @param {number} index */
function recordOf(index) {
  return {
    id: index,
    path: `src/module-${index % 97}/part-${index}.ts`,
    kind: index % 3 === 0 ? 'function' : 'class',
    score: ((index * 7919) % 1000) / 1000,
    open: index % 2 === 0,
    text: `A record as a tool returns it: "quoted", with a line\nbreak and number ${index}.`,
  };
}
