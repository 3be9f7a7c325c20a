import { describe, expect, test } from 'vitest';
import { story, tell } from '../../../../test/support/plan-story.ts';
import type { ConsoleSettings } from '../settings.ts';
import { consoleReporter } from './console-reporter.ts';

describe('console', () => {
  const plain: ConsoleSettings = {
    showTimestamps: true,
    progressBar: true,
    colors: false,
    width: 20,
    compact: false,
  };
  const printed = (settings: Partial<ConsoleSettings>, events = story()) => {
    const lines: string[] = [];
    tell(
      consoleReporter({ ...plain, ...settings }, (line) => void lines.push(line)),
      events,
    );
    return lines;
  };

  test('shows the plan, each step and the end', () => {
    expect(printed({})).toEqual([
      '====================',
      'PLAN: Tidy up',
      '====================',
      '  ○ 1. look',
      '  ○ 2. sweep',
      '[                              ] 0/2 (0%)',
      '[12:30:15] PLAN STARTED: Tidy up',
      '[12:30:15] ● [1/2] IN_PROGRESS: look',
      '    [                              ] 0/2 (0%)',
      '[12:30:15] ✓ [1/2] COMPLETED: look',
      '    → 3 things',
      '    [===============>              ] 1/2 (50%)',
      '[12:30:15] ○ [3/3] ADDED: wash',
      '    [=========>                    ] 1/3 (33%)',
      '[12:30:15] ✗ [2/3] FAILED: sweep',
      '    ✗ Error: no broom',
      '    [=========>                    ] 1/3 (33%)',
      '[12:30:15] ⊘ [3/3] SKIPPED: wash',
      '    [=========>                    ] 1/3 (33%)',
      '====================',
      'PLAN COMPLETED: Tidy up',
      '   Steps: 1 completed, 1 failed, 1 skipped',
      '   Summary: Cleaner now',
      '====================',
    ]);
  });

  test('says less when it is told to', () => {
    const lines = printed({ compact: true, progressBar: false, showTimestamps: false });
    expect(lines.filter((line) => /IN_PROGRESS|%|\d\d:/.test(line))).toEqual([]);
    expect(lines).toContain('✓ [1/2] COMPLETED: look');
  });

  test('colours are our own, and nothing of what a model writes reaches the terminal', () => {
    const hostile = story('\u001B[2Jgone\nPLAN: fake', 'a\u0007\u202Eb\r\nc');
    const isObeyed = (line: string) =>
      ['\u001B', '\u0007', '\u202E', '\n', '\r'].some((character) => line.includes(character));
    expect(printed({}, hostile).filter(isObeyed)).toEqual([]);
    const coloured = printed({ colors: true }, hostile);
    expect(coloured.some((line) => line.includes('\u001B[92m✓\u001B[0m'))).toBe(true);
    const own = ['0', '1', '90', '91', '92', '93', '94'].map((code) => `\u001B[${code}m`);
    const without = coloured.map((line) => own.reduce((text, code) => text.replaceAll(code, ''), line));
    expect(without.filter(isObeyed)).toEqual([]);
  });

  test('a terminal that is gone harms nobody', () => {
    const reporter = consoleReporter(plain, () => {
      throw new Error('EPIPE');
    });
    expect(() => tell(reporter)).not.toThrow();
  });
});
