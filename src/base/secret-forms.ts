// The forms that one value takes in texts: as it is, in JSON, in an address, in base64.

/** Each form once. Only the first two of a value that is very long: nobody writes that into an address. */
export function formsOf(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const forms = new Set([value, json, asciiOnly(json)]);
  // JSON in a text of JSON, in a text of JSON …: a plugin logs what it sent, and the log goes over the wire.
  for (let depth = 0, text = json; depth < NESTED_MAX && text !== value; depth += 1) {
    text = JSON.stringify(text).slice(1, -1);
    forms.add(text);
  }
  if (value.length <= ENCODED_MAX)
    for (const form of [...inAddress(value), ...inBase64(value)])
      if (form.length >= ENCODED_MIN) forms.add(form);
  return [...forms];
}

/** Each level doubles what is escaped. */
const NESTED_MAX = 4;
const ENCODED_MAX = 4096;
/** Shorter ones could be anything. */
const ENCODED_MIN = 7;

/** As Python and others write it. */
function asciiOnly(json: string): string {
  return json.replaceAll(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function inAddress(value: string): string[] {
  try {
    const encoded = encodeURIComponent(value);
    const strict = encoded.replaceAll(
      /[!'()*]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
    );
    // As forms are sent, and as `URL` writes what stands behind the question mark.
    const inForm = new URLSearchParams([['', value]]).toString().slice(1);
    const blanks = [encoded, strict, inForm].flatMap((form) => [
      form,
      form.replaceAll('%20', '+'),
      form.replaceAll('+', '%20'),
    ]);
    return blanks.flatMap((form) => [
      form,
      form.replaceAll(/%[\dA-F]{2}/g, (escape) => escape.toLowerCase()),
    ]);
  } catch {
    // Half of a surrogate pair has no form in an address.
    return [];
  }
}

/** Whatever stands before it, as `user:` does: three bytes are four letters, so there are three ways to begin. */
function inBase64(value: string): string[] {
  const bytes = Buffer.from(value);
  const forms = [bytes.toString('base64').replace(/=+$/, '')];
  for (const before of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // Letters that hold bits of nothing else.
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    forms.push(encoded.slice(start, end));
  }
  return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}
