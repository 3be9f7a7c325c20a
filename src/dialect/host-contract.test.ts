// One contract that every dialect's host end keeps.
import { describe } from 'vitest';
import { plainManifest } from '../../test/support/gevals-end.ts';
import { hostContract, type DialectKit } from '../../test/support/host-contract.ts';
import { introduceServer } from '../../test/support/mcp-server.ts';
import { extractorManifest, reply } from '../../test/support/yams.ts';
import { gassist } from './gassist/host.ts';
import { gevals } from './gevals/host.ts';
import { hostDialects } from './hosts.ts';
import { mcp } from './mcp/host.ts';
import { planner } from './planner/host.ts';
import { yams } from './yams/host.ts';

const kits: Readonly<Record<string, DialectKit>> = {
  gassist: {
    dialect: gassist,
    framing: 'length-prefix',
    tool: 'greet',
    cancels: 'occupied',
    introduce: async (raw) => void (await reply(raw, 'initialize', { name: 'greeter', version: '1.0.0' })),
    succeed(raw, id, text) {
      raw.answer(id, { acknowledged: true });
      raw.notify('complete', { request_id: id, success: true, data: text });
    },
  },
  gevals: {
    dialect: gevals,
    framing: 'lines',
    tool: 'apply',
    cancels: 'occupied',
    introduce: async (raw) => void (await reply(raw, 'initialize', plainManifest)),
    succeed: (raw, id, text) => raw.answer(id, { success: true, message: text }),
  },
  mcp: {
    dialect: mcp,
    framing: 'lines',
    tool: 'echo',
    cancels: 'free',
    introduce: (raw) => introduceServer(raw),
    succeed: (raw, id, text) => raw.answer(id, { content: [{ type: 'text', text }] }),
  },
  planner: {
    dialect: planner,
    framing: 'lines',
    tool: 'execute_task',
    cancels: 'occupied',
    introduce: async (raw) =>
      void (await reply(raw, 'rpc.discover', { roles: ['executor'], methods: ['execute_task'] })),
    succeed: (raw, id, text) => raw.answer(id, { status: 'success', output: { code: text } }),
  },
  yams: {
    dialect: yams,
    framing: 'lines',
    tool: 'extractor.extract',
    cancels: 'occupied',
    async introduce(raw) {
      await reply(raw, 'handshake.manifest', extractorManifest);
      await reply(raw, 'plugin.init', { status: 'initialized' });
    },
    succeed: (raw, id, text) => raw.answer(id, { success: true, content: text }),
  },
};

describe.each(Object.keys(hostDialects))('%s', (name) => {
  const kit = kits[name];
  if (kit === undefined) throw new Error(`${name} needs a kit here, so that the contract is held.`);
  hostContract(kit);
});
