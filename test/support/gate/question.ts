// A question as the gate asks it, for tests of those who answer.
import type { Question } from '../../../src/gate/approval/approver.ts';

export function question(more: Partial<Question> = {}): Question {
  return {
    id: 'q-1',
    kind: 'tool',
    tool: 'write_file',
    plugin: 'files',
    caller: { kind: 'model' },
    args: { path: 'a.txt' },
    signature: 'write_file(path=a.txt)',
    reason: 'no rule names it',
    remembers: 'exactly this call',
    remembersTool: 'every call of write_file',
    always: {
      file: '/home/me/permissions.json',
      call: 'files__write_file(path=a.txt, !*)',
      tool: 'files__write_file',
    },
    expiresAt: 1000,
    ...more,
  };
}

export const unaborted: AbortSignal = new AbortController().signal;
