import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { catalog, setUpReferences } from '../../../test/support/plugins/references.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

describe('configuration', () => {
  test('defaults are filled in, and secrets are not told', async () => {
    const { configApplied } = await setUpReferences().backend.setup({
      channel_type: 'webhook',
      channel_config: {
        endpoint: 'https://hooks.example/',
        auth_token: 'hidden',
        headers: { 'X-Key': 'hidden' },
      },
    });
    expect(configApplied).toMatchObject({ max_source_chars: 20_000, fetch_urls: true, allowed_roots: [] });
    expect(JSON.stringify(configApplied)).not.toContain('hidden');
  });

  test.each([
    [{ channel_type: 'mail' }, 'channel_type'],
    [{ channel_type: 'webhook' }, 'the address is missing'],
    [{ actor_type: 'webhook', actor_config: { endpoint: 'ftp://x/' } }, 'expected http: or https:'],
    [{ channel_config: { timeout: 0 } }, 'timeout'],
    [{ sources: [{ name: 'N' }] }, 'id'],
  ])('%j is refused', async (config, words) => {
    await expect(setUpReferences().backend.setup(config)).rejects.toThrow(words);
  });

  test('a file may name the channel; what it says wrong is refused', async () => {
    const files = (channel: object) => ({ 'references.json': { ...catalog, channel } });
    await expect(setUpReferences({ files: files({ type: 'pigeon' }) }).backend.setup({})).rejects.toThrow(
      '"pigeon"',
    );
    const { backend, call, cwd, clock, logged } = setUpReferences({
      files: files({ type: 'file', base_path: './exchange', timeout: 3600 }),
    });
    await backend.setup({});
    const answer = call('selectReferences');
    const requests = path.join(cwd, 'exchange/requests');
    const asked = () => fs.readdirSync(requests).find((one) => one.endsWith('.json'));
    await expect.poll(asked, { interval: 1 }).toBeDefined();
    const name = asked() ?? '';
    fs.writeFileSync(path.join(cwd, 'exchange/responses', name), '{"selected_ids":["page","never offered"]}');
    const isTold = () => {
      clock.advance(500);
      return fs.existsSync(path.join(cwd, 'exchange/results/latest.json'));
    };
    await expect.poll(isTold, { interval: 1 }).toBe(true);
    expect(await answer).toMatchObject({ data: { status: 'success', selected_count: 1 } });
    expect(logged.at(-1)?.message).toContain('1 of the references that were chosen were not offered');
  });

  test('pages can be left to the model, and limits hold', async () => {
    const { call, backend } = setUpReferences({ typed: 'all' });
    await backend.setup({ fetch_urls: false, max_source_chars: 100, max_total_chars: 1000 });
    const { sources } = (await call('selectReferences')).data as { sources: string };
    expect(sources).toContain('**Access**: fetch it with a tool that fetches pages');
    expect(sources).toContain('**Not included**: pages are not fetched here.');
  });

  test('folders beside the project are read when they are allowed', async () => {
    const other = temporaryFolder({ 'x.md': 'elsewhere' });
    const sources = [{ id: 'x', name: 'X', type: 'local', path: path.join(other, 'x.md'), mode: 'auto' }];
    const { backend } = setUpReferences();
    await backend.setup({ sources });
    expect(backend.manifest.instructions).toContain('outside of the folders that may be read');
    await backend.setup({ sources, allowed_roots: [other] });
    expect(backend.manifest.instructions).toContain('elsewhere');
  });
});
