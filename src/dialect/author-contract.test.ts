// One contract that the two ends of every dialect keep with each other.
import { describe, expect, test } from 'vitest';
import { endsContract, neutralCodes, type EndsKit } from '../../test/support/author-contract.ts';
import { authorDialects } from './authors.ts';
import { gassistAuthor } from './gassist/author.ts';
import { gassist } from './gassist/host.ts';
import { gevalsAuthor } from './gevals/author.ts';
import { gevals } from './gevals/host.ts';
import { hostDialects } from './hosts.ts';
import { mcpAuthor } from './mcp/author.ts';
import { mcp } from './mcp/host.ts';
import { plannerAuthor } from './planner/author.ts';
import { planner } from './planner/host.ts';
import { yamsAuthor } from './yams/author.ts';
import { yams } from './yams/host.ts';

const careful = [{ kind: 'log', level: 'warn', message: 'careful' }] as const;

const kits: Readonly<Record<string, EndsKit>> = {
  gassist: {
    host: gassist,
    author: gassistAuthor,
    early: 'one two',
    whole: 'one\ntwo\nthree',
    logged: careful,
    cancels: 'occupied',
    data: { text: '{"count":3,"name":"x"}' },
    outputs: {},
    codes: ['INTERNAL', 'INVALID_ARGUMENTS', 'RATE_LIMITED', 'TIMEOUT', 'TOOL_FAILED'],
  },
  gevals: {
    host: gevals,
    author: gevalsAuthor,
    early: 'one two',
    whole: 'one\ntwo\nthree',
    logged: careful,
    cancels: 'occupied',
    data: { outputs: { count: '3', name: 'x' } },
    outputs: { outputs: { path: '/tmp/x' } },
    codes: neutralCodes,
  },
  mcp: {
    host: mcp,
    author: mcpAuthor,
    early: 'one two',
    whole: 'one\ntwo\nthree',
    logged: careful,
    cancels: 'free',
    data: { data: { count: 3, name: 'x' } },
    outputs: {},
    codes: neutralCodes,
  },
  planner: {
    host: planner,
    author: plannerAuthor,
    early: 'one two',
    whole: 'one\ntwo\nthree',
    logged: [],
    cancels: 'occupied',
    data: { data: { count: 3, name: 'x' } },
    outputs: {},
    codes: neutralCodes,
  },
  yams: {
    host: yams,
    author: yamsAuthor,
    early: '',
    whole: 'one\ntwo\nthree',
    logged: [],
    cancels: 'occupied',
    data: { data: { count: 3, name: 'x' } },
    outputs: {},
    codes: neutralCodes,
  },
};

test('every dialect has both ends', () => {
  expect(Object.keys(authorDialects).sort()).toEqual(Object.keys(hostDialects).sort());
});

describe.each(Object.keys(hostDialects))('%s', (name) => {
  const kit = kits[name];
  if (kit === undefined) throw new Error(`${name} needs a kit here, so that the contract is held.`);
  endsContract(kit);
});
