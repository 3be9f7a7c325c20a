// A plugin in plain Node that does all it should, and its broken twins: started with the id of a check, it does everything
// right but what that check looks for. Beside it stands a program for each dialect with what is its own.

const [, , breakage] = process.argv;

/**
 * Whether this is the twin that the check of this id has to catch.
 * @param {string} id
 */
export function broken(id) {
  return id === breakage;
}

/** @typedef {Record<string, unknown>} Params */
/** @typedef {{ jsonrpc?: string, id?: unknown, method?: string, params?: Params }} Message */
/** @typedef {(params: Params, id: unknown, hasParams: boolean) => unknown} Handler */
/**
 * @typedef {object} Manner
 * @property {'lines' | 'length-prefix'} framing
 * @property {number} largestMessage
 * @property {Record<string, Handler>} methods what requests are answered with; what they throw is an error, what gives undefined is not answered
 * @property {Record<string, (params: Params) => void>} [notifications]
 * @property {readonly string[]} calls the methods that are work
 * @property {string} [goodbye] the method that ends it
 * @property {boolean} [staysAfterGoodbye]
 * @property {boolean} [ignoresBadJson]
 * @property {boolean} [mistakesNoMethod]
 * @property {boolean} [takesBatches]
 * @property {(params: Params) => number | undefined} [limitOf] in milliseconds, of the work
 * @property {boolean} [hidesUnknownMethod]
 */

/** What a handler throws to answer with an error. */
export class Refusal extends Error {
  /**
   * @param {number} code
   * @param {string} message
   * @param {unknown} [data]
   */
  constructor(code, message, data) {
    super(message);
    this.error = { code, message, ...(data === undefined ? {} : { data }) };
  }
}

/** @type {Manner['framing']} */
let framing = 'lines';
let ignoresBadJson = false;
let takesBatches = false;

/** @param {object} message one, or those of a batch */
export function send(message) {
  const body = Buffer.from(JSON.stringify(Array.isArray(message) ? message : { jsonrpc: '2.0', ...message }));
  if (framing === 'lines') process.stdout.write(Buffer.concat([body, Buffer.from('\n')]));
  else {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(body.length);
    process.stdout.write(Buffer.concat([length, body]));
  }
}

/**
 * @param {string} method
 * @param {object} [params]
 */
export function notify(method, params) {
  send({ method, ...(params === undefined ? {} : { params }) });
}

/** @param {Manner} manner */
export function serve(manner) {
  framing = manner.framing;
  ignoresBadJson = manner.ignoresBadJson ?? false;
  takesBatches = manner.takesBatches ?? false;
  let running = 0;
  let isOver = false;
  let isKnown = false;
  const end = () => {
    if (!isOver || running > 0) return;
    // That nobody reads is known a moment after it was written.
    if (broken('fault:host-gone')) setTimeout(() => process.exit(0), 200);
    else process.exit(0);
  };

  process.stdout.on('error', () => {
    if (broken('fault:host-gone')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    else process.exit(0);
  });
  if (broken('fault:sigterm')) process.on('SIGTERM', () => {});
  process.stdin.on('end', () => {
    isOver = true;
    if (broken('fault:eof-idle') && running === 0) process.exit(3);
    if (broken('fault:eof-in-call') && running > 0 && isKnown) process.exit(0);
    end();
  });

  const read = reader(manner, (bodies) => {
    const values = bodies.flatMap((body) => parsed(body));
    const batches = values.filter((value) => Array.isArray(value));
    const messages = values.flatMap((value) => (Array.isArray(value) ? [] : [value]));
    const requests = messages.filter(({ id, method }) => id !== undefined && method !== undefined);
    const calls = requests.filter(({ method = '' }) => manner.calls.includes(method));
    for (const batch of batches) void takeBatch(batch);
    for (const message of messages) {
      if (broken('fault:merged-frames') && requests.length === 3 && message === requests[2]) continue;
      const isSecondOfTwo = calls.length === 2 && message === calls[1] && isSame(message, calls[0]);
      if (broken('fault:two-calls') && isSecondOfTwo) void take({ ...message, id: calls[0]?.id });
      else void take(message);
    }
  });
  process.stdin.on('data', read);

  /** @param {Message[]} messages */
  async function takeBatch(messages) {
    /** @type {object[]} */
    const replies = [];
    await Promise.all(messages.map((message) => take(message, (reply) => replies.push(reply))));
    if (replies.length > 0) send(replies.map((reply) => ({ jsonrpc: '2.0', ...reply })));
    end();
  }

  /**
   * @param {Message} message
   * @param {(message: object) => void} [reply]
   */
  async function take({ id, method, params }, reply = send) {
    if (typeof method !== 'string') {
      const code = manner.mistakesNoMethod === true ? -32601 : -32600;
      reply({ id: null, error: { code, message: 'Invalid Request' } });
      return;
    }
    if (id === undefined) {
      heard(method, params ?? {});
      return;
    }
    const isCall = manner.calls.includes(method);
    const isGoodbye = method === manner.goodbye;
    if (isGoodbye && broken('fault:shutdown-in-call') && running > 0) return;
    try {
      const handler = Object.hasOwn(manner.methods, method) ? manner.methods[method] : undefined;
      if (handler === undefined) {
        if (broken('fault:unknown-method')) return;
        const data = manner.hidesUnknownMethod === true ? undefined : { method };
        refuseUnknown(id, new Refusal(-32601, `Unknown method: ${method}`, data));
      }
      if (params !== undefined && !isObject(params)) {
        if (broken('fault:wrong-params') && typeof params === 'number') process.exit(1);
        throw new Refusal(-32602, 'params have to be an object');
      }
      if (broken('fault:wrong-arguments') && Object.values(params ?? {}).includes(4711)) process.exit(1);
      if (isCall) {
        running += 1;
        await work(JSON.stringify(params ?? {}).includes('slowly'), manner.limitOf?.(params ?? {}));
      }
      isKnown ||= !isCall;
      const result = await handler(params ?? {}, id, params !== undefined);
      if (result !== undefined) reply({ id, result });
    } catch (thrown) {
      reply({ id, error: errorOf(thrown) });
    } finally {
      if (isCall) running -= 1;
      isOver ||= isGoodbye && manner.staysAfterGoodbye !== true;
      end();
    }
  }

  /**
   * @param {string} method
   * @param {Params} params
   */
  function heard(method, params) {
    const handler = manner.notifications?.[method];
    if (handler !== undefined) handler(params);
    else if (method === manner.goodbye) {
      if (broken('fault:shutdown-in-call') && running > 0) return;
      if (manner.staysAfterGoodbye !== true) process.exit(0);
    } else if (broken('fault:notification-storm')) refuse(null, new Refusal(-32601, 'Unknown method'));
  }
}

/**
 * The same call, but for an id somewhere in it.
 * @param {Message} one
 * @param {Message} [other]
 */
function isSame(one, other) {
  return Math.abs(JSON.stringify(one).length - JSON.stringify(other).length) < 3;
}

/**
 * @param {unknown} id
 * @param {unknown} thrown
 */
function refuse(id, thrown) {
  send({ id, error: errorOf(thrown) });
}

/** @param {unknown} thrown */
function errorOf(thrown) {
  return thrown instanceof Refusal ? thrown.error : { code: -32603, message: String(thrown) };
}

/**
 * How a call of something unknown is answered.
 * @param {unknown} id
 * @param {Refusal} refusal
 * @returns {never}
 */
export function refuseUnknown(id, refusal) {
  if (broken('fault:unknown-tool')) {
    refuse(id, refusal);
    process.exit(1);
  }
  throw refusal;
}

/**
 * Every call takes a moment, so that something can happen while it runs, and longer where it is told to.
 * @param {boolean} isSlow
 * @param {number} [limitMs]
 */
async function work(isSlow, limitMs = Infinity) {
  if (broken('fault:noise-on-stdout')) process.stdout.write('working\n');
  if (broken('fault:ping-during-call')) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
    return;
  }
  const durationMs = isSlow && !broken('fault:long-call') ? 600 : 10;
  await new Promise((resolve) => setTimeout(resolve, Math.min(durationMs, limitMs)));
  if (durationMs > limitMs) throw new Refusal(-32001, 'It took too long');
}

/**
 * The message in a body, or the batch; none when it is answered already.
 * @param {Buffer} body
 * @returns {(Message | Message[])[]}
 */
function parsed(body) {
  /** @type {unknown} */
  let value;
  try {
    value = JSON.parse(body.toString());
  } catch {
    if (!ignoresBadJson) refuse(null, new Refusal(-32700, 'Parse error'));
    if (broken('fault:bad-json')) process.exit(1);
    return [];
  }
  if (isObject(value)) return [value];
  if (takesBatches && Array.isArray(value) && value.length > 0) return [value];
  if (broken('fault:no-request')) process.exit(1);
  refuse(null, new Refusal(-32600, 'Invalid Request'));
  return [];
}

/**
 * @param {unknown} value
 * @returns {value is Params}
 */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Cuts what comes into bodies, all those of a read at once.
 * @param {Manner} manner
 * @param {(bodies: Buffer[]) => void} take
 * @returns {(chunk: Buffer) => void}
 */
function reader({ largestMessage }, take) {
  let rest = Buffer.alloc(0);
  /** What is of a message that is not whole yet, not put together for every read. @type {Buffer[]} */
  let held = [];
  /** How many bytes a frame lacks that has begun. */
  let missing = 0;
  /** Bytes of a message that is too large and still to come. */
  let skipped = 0;
  return (chunk) => {
    if (broken('fault:byte-by-byte') && rest.length + held.length === 0 && chunk.length === 1) return;
    if (broken('fault:torn-frames') && rest.length + held.length === 0 && chunk.length === 2) return;
    /** @type {Buffer[]} */
    const bodies = [];
    held.push(chunk);
    missing -= chunk.length;
    if (framing === 'lines' ? !chunk.includes(0x0a) : missing > 0) return;
    rest = Buffer.concat([rest, ...held]);
    held = [];
    for (;;) {
      if (skipped > 0) {
        const some = Math.min(skipped, rest.length);
        skipped -= some;
        rest = rest.subarray(some);
        if (skipped > 0) break;
      }
      const cut = framing === 'lines' ? cutLine(rest) : cutFrame(rest);
      if (cut === undefined) break;
      if (cut.size > largestMessage && broken('fault:oversize-message')) process.exit(1);
      if (framing === 'length-prefix' && cut.size > largestMessage) {
        skipped = cut.size;
        rest = rest.subarray(4);
        continue;
      }
      if (rest.length < cut.end) {
        missing = cut.end - rest.length;
        break;
      }
      const body = rest.subarray(cut.start, cut.end);
      rest = rest.subarray(cut.end);
      if (isWanted(body, cut.size)) bodies.push(body);
    }
    take(bodies);
  };

  /**
   * @param {Buffer} body
   * @param {number} size
   */
  function isWanted(body, size) {
    if (size === largestMessage && broken('fault:large-message')) return false;
    if (framing !== 'lines') return true;
    const isBlank = body.toString('latin1', 0, 64).trim() === '';
    if (isBlank && broken('fault:blank-lines')) process.exit(1);
    if (!isBlank && body.at(-2) === 0x0d && broken('fault:crlf')) return false;
    return !isBlank;
  }
}

/** @param {Buffer} bytes */
function cutLine(bytes) {
  const lineEnd = bytes.indexOf(0x0a);
  return lineEnd === -1 ? undefined : { start: 0, end: lineEnd + 1, size: lineEnd };
}

/** @param {Buffer} bytes */
function cutFrame(bytes) {
  if (bytes.length < 4) return undefined;
  const size = bytes.readUInt32BE();
  return { start: 4, end: 4 + size, size };
}
