// What becomes of one call in `pluglot up` can be found everywhere: as a span of OpenTelemetry, in the audit, in logs and on the wire.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { root } from '../support/project.ts';
import {
  getJson,
  mcpClient,
  ofEachDialect,
  servedUp,
  userHeaders,
  type Served,
} from '../support/surface/running-up.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PARENT = '00f067aa0ba902b7';

test('a call of each dialect and a conversation: span, audit and wire have one trace and one id', async () => {
  const spansFile = path.join(temporaryFolder(), 'spans.jsonl');
  const sdk = pathToFileURL(path.join(root, 'test/hosts/keep-spans.mjs')).href;
  const { up, ...served } = await servedUp({}, ['--bundled'], {
    env: { NODE_OPTIONS: `--import ${sdk}`, SPANS_FILE: spansFile },
    files: { 'note.txt': 'hello' },
  });
  const spans = () =>
    existsSync(spansFile)
      ? readFileSync(spansFile, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Span)
      : [];
  const spanOf = async (id: string): Promise<Span> => {
    const find = () => spans().find(({ attributes }) => attributes['gen_ai.tool.call.id'] === id);
    await expect.poll(find).toBeDefined();
    return find() as Span; // it is defined
  };

  for (const [at, [dialect, tool, args]] of ofEachDialect.entries()) {
    const traceId = `4bf92f3577b34da6a3ce929d0e0e473${at}`;
    const { id, ok } = await call(served, tool, args, `00-${traceId}-${PARENT}-01`);
    expect(ok, dialect).toBe(true);
    expect(await spanOf(id), dialect).toMatchObject({
      name: `execute_tool ${tool}`,
      traceId,
      parent: PARENT,
      status: { code: 0 },
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'pluglot.kind': 'tool',
        'pluglot.caller': 'user',
      },
    });
    expect(await audited(served, id)).toMatchObject([{ kind: 'decided', trace: traceId }, { kind: 'ended' }]);
    const { entries } = (await getJson(served, `/api/v1/traffic?call=${id}`)) as { entries: Frame[] };
    expect(entries.length, dialect).toBeGreaterThan(1);
    for (const entry of entries) expect(entry).toMatchObject({ call: id, trace: traceId });
    expect(new Set(entries.map(({ from }) => from)), dialect).toEqual(new Set(['host', 'plugin']));
  }

  // Without a trace it gets one; a failure is seen.
  const failed = await call(served, 'roll', { dice: 'none' });
  expect(failed.ok).toBe(false);
  const span = await spanOf(failed.id);
  expect(span).toMatchObject({ status: { code: 2 } });
  expect(span.parent).toBeUndefined();
  expect(await audited(served, failed.id)).toMatchObject([{ trace: span.traceId }, { ok: false }]);

  const talk = await post(served, '/api/v1/talks', { tool: 'launch' }, `00-${'a'.repeat(32)}-${PARENT}-01`);
  const { talk: talkId, outcome } = talk as { talk: string; outcome: { id: string } };
  await post(served, `/api/v1/talks/${talkId}/say`, { content: 'bye' });
  expect(await spanOf(outcome.id)).toMatchObject({
    traceId: 'a'.repeat(32),
    attributes: { 'pluglot.kind': 'talk', 'pluglot.plugin': 'countdown' },
  });
  expect(await audited(served, outcome.id)).toMatchObject([{ kind: 'decided' }, { kind: 'ended', ok: true }]);
  const { entries } = (await getJson(served, `/api/v1/traffic?trace=${'a'.repeat(32)}`)) as {
    entries: Frame[];
  };
  expect(entries.flatMap(({ method }) => method ?? [])).toEqual(['execute', 'complete', 'input', 'complete']);
  up.child.kill('SIGINT');
  expect(await up.ended).toBe(130);
});

test('clients of MCP say the trace in the call or in a header, in both eras; one that says none gets one', async () => {
  const { up, ...served } = await servedUp({}, ['--bundled']);
  const modern = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const;
  for (const [at, options] of [{}, modern].entries()) {
    const [ofCall, ofHeader] = [`${at}`.repeat(31) + 'a', `${at}`.repeat(31) + 'b'];
    const plain = await mcpClient(served, '', options);
    const told = await mcpClient(served, '', options, { traceparent: `00-${ofHeader}-${PARENT}-01` });
    const args = { name: 'roll', arguments: { dice: '1d1' } };
    await told.callTool({ ...args, _meta: { traceparent: `00-${ofCall}-${PARENT}-01` } });
    await told.callTool(args);
    await plain.callTool(args);
    const { records } = (await getJson(served, '/api/v1/audit?tool=roll')) as { records: AuditRecord[] };
    const traces = records.flatMap(({ event }) => (event.kind === 'decided' ? [event.trace] : [])).slice(-3);
    expect(traces.slice(0, 2)).toEqual([ofCall, ofHeader]);
    expect(traces[2]).toMatch(/^(?!0{32})[\da-f]{32}$/);
  }
  up.child.kill('SIGINT');
  expect(await up.ended).toBe(130);
});

interface Span {
  readonly traceId: string;
  readonly parent?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Frame {
  readonly from: string;
  readonly method?: string;
}

interface AuditRecord {
  readonly event: { readonly kind: string; readonly id?: string; readonly trace?: string };
}

async function call(
  served: Served,
  tool: string,
  args: object,
  traceparent?: string,
): Promise<{ readonly id: string; readonly ok: boolean }> {
  const outcome = await post(served, `/api/v1/tools/${encodeURIComponent(tool)}/call`, { args }, traceparent);
  // Of our own server.
  return outcome as { id: string; ok: boolean };
}

async function post(served: Served, place: string, body: object, traceparent?: string): Promise<unknown> {
  const answer = await fetch(`${served.url}${place}`, {
    method: 'POST',
    headers: {
      ...(await userHeaders(served)),
      ...(traceparent !== undefined && { traceparent }),
    },
    body: JSON.stringify(body),
  });
  return answer.json();
}

/** In the order in which it was written; the end of a call may be written after its answer. */
async function audited(served: Served, id: string): Promise<readonly AuditRecord['event'][]> {
  const read = async () => {
    const { records } = (await getJson(served, '/api/v1/audit?limit=1000')) as { records: AuditRecord[] };
    return records.map(({ event }) => event).filter((event) => event.id === id);
  };
  await expect.poll(async () => (await read()).length).toBe(2);
  return read();
}
