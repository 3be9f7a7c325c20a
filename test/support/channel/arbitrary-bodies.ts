// Bodies of JSON-RPC as ends write them, almost write them, and should never write them.
import fc from 'fast-check';

const goodIds = ['0', '1', '7', '12345', '123456789012345', '999999999999999'];
const ids = column(String.raw`
  -0 | 1e3 | 1E+2 | 1.5 | 01 | -1 | 00 | +1 | 1. | .5 | 0x10 | 1e400 | 1_0 | 1 2
  1234567890123456 | 9007199254740993 | 12345678901234567
  "a" | "7" | "007" | "" | "\u0031" | "é" | "1234567890123456" | null | true | [1] | {} | NaN
`);
const goodMethods = ['"m"', '"a.b/c"', '""', '"rpc.x"', '"é漢😀"', '"with space"', '"}"'];
const methods = column(String.raw`
  "\u006d" | "a\"b" | "a\\" | "\n" | "tab	in it" | 1 | null | "unclosed | ["m"] | "a}","params":{"b"
`);
const values = column(String.raw`
  1 | -1.5e3 | "text" | "}" | "\"}" | null | true | false | [] | {} | [1,[2,{"a":"}"}]] | {"a":{"b":{}}}
  {"a":1,"a":2} | {"__proto__":{"x":1}} | "é漢😀" | "\ud83d" | {"jsonrpc":"1.0","id":9} | {"code":1,"message":"m"}
  NaN | -Infinity | "NaN" | [NaN] | 1, | 1} | {"a":1 | [1,] | undefined | 'x' | 01
  1,"id":2 | {},"x":{} | {}} | []] | {"a":1}{"b":2} | 1,"error":null | null,"error":{"code":1,"message":"m"}
`).concat('', '1 ', ' 1', '\t{}');
const versions = ['"2.0"', '"2.0"', '"2.0"', '"2.0"', '"1.0"', '2.0', 'null', '"2\\u002e0"'];

const id = fc.oneof(fc.constantFrom(...goodIds), fc.constantFrom(...ids));
const method = fc.oneof(fc.constantFrom(...goodMethods), fc.constantFrom(...methods));

const member = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...versions).map((text) => `"jsonrpc":${text}`) },
  { weight: 2, arbitrary: id.map((text) => `"id":${text}`) },
  { weight: 2, arbitrary: method.map((text) => `"method":${text}`) },
  { weight: 2, arbitrary: fc.constantFrom(...values).map((text) => `"params":${text}`) },
  { weight: 2, arbitrary: fc.constantFrom(...values).map((text) => `"result":${text}`) },
  { weight: 1, arbitrary: fc.constantFrom(...values).map((text) => `"error":${text}`) },
  { weight: 1, arbitrary: fc.constantFrom(...values).map((text) => `"extra":${text}`) },
);

/** The forms that the fast decoder knows, with members that fit and that do not. */
const usual = fc
  .record({
    id,
    method,
    value: fc.oneof(fc.constantFrom(...values), fc.json({ stringUnit: 'binary' })),
    form: fc.nat(7),
  })
  .map(({ id, method, value, form }) => {
    const start = '{"jsonrpc":"2.0",';
    switch (form) {
      case 0:
        return `${start}"id":${id},"result":${value}}`;
      case 1:
        return `${start}"id":${id},"method":${method},"params":${value}}`;
      case 2:
        return `${start}"id":${id},"method":${method}}`;
      case 3:
        return `${start}"method":${method},"params":${value}}`;
      case 4:
        return `${start}"method":${method}}`;
      case 5:
        return `${start}"id":${id},"error":${value}}`;
      case 6:
        return `${start}"id":${id},"result":${value},"error":null}`;
      default:
        return `${start}"id":${id}}`;
    }
  });

/** Any members in any order, repeated and missing. */
const unusual = fc
  .record({
    members: fc.array(member, { maxLength: 6 }),
    comma: fc.constantFrom(',', ', ', ' ,', '\t,\r'),
    ends: fc.constantFrom(
      ['{', '}'],
      ['{', '}'],
      ['{ ', ' }'],
      ['{', ',}'],
      ['\uFEFF{', '}'],
      ['{', '} '],
      ['[{', '}]'],
      ['', ''],
    ),
  })
  .map(({ members, comma, ends: [open, close] }) => `${open}${members.join(comma)}${close}`);

const whole = fc.oneof({ weight: 3, arbitrary: usual }, { weight: 2, arbitrary: unusual });

const batch = fc.array(whole, { maxLength: 4 }).map((items) => `[${items.join(',')}]`);

/** One change of one character. */
const mutated = fc
  .record({
    text: whole,
    at: fc.nat(200),
    how: fc.nat(2),
    with: fc.constantFrom(...Array.from('{}[]",:\\ 019eE-.ntf\u0000\n\u007f')),
  })
  .map(({ text, at, how, with: character }) => {
    const place = text.length === 0 ? 0 : at % text.length;
    return text.slice(0, place) + (how === 0 ? '' : character) + text.slice(how === 1 ? place : place + 1);
  });

export const body = fc.oneof(
  { weight: 5, arbitrary: whole },
  { weight: 3, arbitrary: mutated },
  { weight: 1, arbitrary: batch },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
);

function column(table: string): string[] {
  return table
    .trim()
    .split(/\n| \| /)
    .map((cell) => cell.trim());
}
