// The forms that one value takes in texts: as it is, in JSON, as Python prints it, in base64. The matcher looks through escapes of addresses
// and HTML, and through those of JSON that JSON.stringify does not write, so these have no form here.

/** Each form once. Of a value that is very long, those in JSON alone. */
export function formsOf(value: string): readonly string[] {
  const forms = new Set([value]);
  addNested(forms, value, NESTED_MAX);
  // In what a form sends, a plus stands for a blank.
  if (value.includes(' ')) forms.add(value.replaceAll(' ', '+'));
  if (value.length > ENCODED_MAX) return [...forms];
  for (const form of inPython(value)) addNested(forms, form, 2);
  for (const form of inBase64(value)) if (form.length >= ENCODED_MIN) forms.add(form);
  return [...forms];
}

/** JSON in a text of JSON, in a text of JSON …: a plugin logs what it sent, and the log goes over the wire. */
function addNested(forms: Set<string>, form: string, levels: number): void {
  let texts = [form, asciiOnly(form)];
  for (let level = 0; level <= levels; level++) {
    // A quote that HTML has escaped is not escaped again.
    for (const text of texts) forms.add(text).add(text.replaceAll(/\\+"/g, '"'));
    texts = [...new Set(texts.map(inJson).flatMap((text) => [text, asciiOnly(text)]))];
  }
}

/** Each level doubles what is escaped. */
const NESTED_MAX = 4;
const ENCODED_MAX = 4096;
/** Shorter ones could be anything. */
const ENCODED_MIN = 7;

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** As Python and others write JSON. */
function asciiOnly(json: string): string {
  return json.replaceAll(/[^\x20-\x7e]/g, (character) => `\\u${hex(character.charCodeAt(0), 4)}`);
}

/** Of a text, `repr` and `ascii`, and of its bytes, `repr`; in quotes of either kind, of which one is escaped. */
function inPython(value: string): string[] {
  const text = value.replaceAll(/[\\\p{Cc}]/gu, (sign) => SHORT[sign] ?? `\\x${hex(sign.charCodeAt(0), 2)}`);
  const ascii = text.replaceAll(/[^\x20-\x7e]/gu, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${hex(code, 2)}` : code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
  });
  const bytes = text.replaceAll(/[^\x20-\x7e]/gu, (sign) =>
    Array.from(Buffer.from(sign), (byte) => `\\x${hex(byte, 2)}`).join(''),
  );
  return [text, ascii, bytes].flatMap((form) => [form, form.replaceAll("'", "\\'")]);
}

const SHORT: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
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
