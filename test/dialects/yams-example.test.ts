// examples/yams-markdown does what its manifest says.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { yams } from '../../src/dialect/yams/host.ts';
import { callAndHear, hear, hostAndProgram } from '../support/dialect/dialect-host.ts';
import { root } from '../support/project.ts';

const folder = path.join(root, 'examples/yams-markdown');
// Our own file.
const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'yams-plugin.json'), 'utf8')) as JsonObject;

const markdown = `# The *title*

Some **bold** words and a [link](https://example.org).

\`\`\`sh
# no heading
\`\`\`

## Part \`one\`
- an item
### Deeper
`;

test('it extracts the text and the headings of Markdown', async () => {
  const { running, connected } = hostAndProgram(yams, '../../examples/yams-markdown/plugin.mjs', {
    spec: { manifest, config: { max_depth: 2 } },
  });
  const end = await connected;
  expect(end.manifest).toMatchObject({
    name: 'yams_markdown',
    configApplied: { max_depth: 2 },
    tools: [{ name: 'markdown.outline' }, { name: 'extractor.extract' }],
    extractor: { formats: ['text/markdown'], extensions: ['.md', '.markdown'] },
  });
  expect(await end.health!(3000)).toMatchObject({ status: 'ok' });
  expect(await end.extractor!.supports({ extension: '.MD' }, 3000)).toEqual({
    supported: true,
    confidence: 1,
    method: 'markdown',
  });
  const bytes = Buffer.from(markdown);
  expect(
    await hear((sink) => end.extractor!.extract({ source: { kind: 'bytes', bytes } }, sink)).answer,
  ).toEqual({
    ok: true,
    text: 'The title\n\nSome bold words and a link.\n\n# no heading\n\nPart one\nan item\nDeeper',
    data: {
      metadata: { title: 'The title', headings: '2' },
      stats: { headings: 2, characters: markdown.length },
    },
  });
  const outline = callAndHear(end, { tool: 'markdown.outline', args: { text: markdown, depth: 3 } });
  expect(await outline.answer).toMatchObject({ ok: true, text: '- The title\n  - Part one\n    - Deeper' });
  await end.shutdown(5000);
  expect(await running.exited).toMatchObject({ exitCode: 0 });
});

test('it says what is wrong', async () => {
  const { connected } = hostAndProgram(yams, '../../examples/yams-markdown/plugin.mjs');
  const end = await connected;
  const missing = callAndHear(end, { tool: 'extractor.extract', args: { source: '/nowhere.md' } });
  expect(await missing.answer).toMatchObject({
    ok: false,
    error: { code: 'TOOL_FAILED', wireCode: -32000, recoverable: false, data: { reason: 'ENOENT' } },
  });
  const wrong = callAndHear(end, { tool: 'markdown.outline', args: {} });
  expect(await wrong.answer).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENTS' } });
  expect(await callAndHear(end, { tool: 'other' }).answer).toMatchObject({
    error: { code: 'UNKNOWN_TOOL' },
  });
});
