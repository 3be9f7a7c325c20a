// What people print to a stdout that is not theirs.

export const prints = [
  'Loading model...\n',
  '\n',
  'ok',
  '{"level":"info","message":"started"}\n',
  '{\n  "pretty": [\n    1,\n    {}\n  ]\n}\n',
  '\u001b[31mred\u001b[0m\r\n',
  '\r 42 %',
  '\u0007\b\b\b\b',
  '😀 done ✓\n',
  '日本語のログ\n',
  '\uFEFF',
  '}}}]]]{{{[[["""',
  '    {"jsonrpc":"2.0"',
];
