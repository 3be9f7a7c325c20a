import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TrafficEntry } from '../../api/types.ts';
import { TrafficLog } from './traffic-log.ts';
import { isFiltering, noFilter, TrafficView } from './traffic-view.ts';

function entry(seq: number, more: Partial<TrafficEntry> = {}): TrafficEntry {
  return { seq, at: seq * 10, plugin: 'echo', from: 'host', kind: 'notification', size: 5, ...more };
}

function all(view: TrafficView): number[] {
  return Array.from({ length: view.count }, (_, index) => view.at(index)?.seq ?? -1);
}

describe('the log', () => {
  test('keeps the last messages', () => {
    const log = new TrafficLog({ messages: 3 });
    for (let seq = 1; seq <= 5; seq++) log.add(entry(seq, { text: 'abc' }));
    expect([log.first, log.end, log.size, log.characters, log.lastSeq]).toEqual([2, 5, 3, 9, 5]);
    expect([2, 3, 4].map((position) => log.at(position)?.seq)).toEqual([3, 4, 5]);
    expect(log.at(1)).toBeUndefined();
    expect(log.at(5)).toBeUndefined();
  });

  test('forgets the oldest texts before their heads', () => {
    const log = new TrafficLog({ characters: 7 });
    for (let seq = 1; seq <= 3; seq++) log.add(entry(seq, { text: 'abc' }));
    expect([0, 1, 2].map((position) => log.at(position)?.text)).toEqual([undefined, 'abc', 'abc']);
    log.add(entry(4, { text: 'more than all of it' }));
    expect(log.characters).toBe(0);
    expect(log.size).toBe(4);
  });

  test('whatever comes, its bounds hold and its count is right', () => {
    const texts = fc.array(fc.option(fc.string(), { nil: undefined }));
    fc.assert(
      fc.property(texts, fc.nat(50), fc.integer({ min: 1, max: 10 }), (said, characters, messages) => {
        const log = new TrafficLog({ characters, messages });
        said.forEach((text, index) => log.add(entry(index + 1, text === undefined ? {} : { text })));
        const kept = Array.from({ length: log.size }, (_, index) => log.at(log.first + index));
        expect(kept.map((message) => message?.seq)).toEqual(
          said.map((_, index) => index + 1).slice(-messages),
        );
        expect(log.characters).toBe(kept.reduce((sum, message) => sum + (message?.text?.length ?? 0), 0));
        expect(log.characters).toBeLessThanOrEqual(characters);
      }),
    );
  });

  test('a request and its response know each other', () => {
    const log = new TrafficLog();
    log.add(entry(1, { kind: 'request', id: 7, at: 100, method: 'execute' }));
    log.add(entry(2, { kind: 'request', id: 7, at: 101, from: 'plugin' }));
    log.add(entry(3, { kind: 'success', id: '7', at: 102, from: 'plugin' }));
    log.add(entry(4, { kind: 'success', id: 7, at: 103, from: 'plugin', plugin: 'other' }));
    log.add(entry(5, { kind: 'success', id: 7, at: 130, from: 'plugin' }));
    log.add(entry(6, { kind: 'success', id: 7, at: 150 }));
    expect(log.at(4)).toMatchObject({ partner: 0, latencyMs: 30, method: 'execute' });
    expect(log.at(0)).toMatchObject({ partner: 4, latencyMs: 30 });
    expect(log.at(5)).toMatchObject({ partner: 1, latencyMs: 49 });
    expect(log.at(2)?.partner).toBeUndefined();
    expect(log.at(3)?.partner).toBeUndefined();
  });

  test('is empty after it was cleared', () => {
    const log = new TrafficLog({ messages: 3 });
    for (let seq = 1; seq <= 5; seq++) log.add(entry(seq, { text: 'abc' }));
    log.clear();
    expect([log.size, log.characters]).toEqual([0, 0]);
    log.add(entry(6, { text: 'x' }));
    expect(log.at(log.first)?.seq).toBe(6);
  });
});

describe('the view', () => {
  test('pings are left out unless they are wanted, with their answers', () => {
    const log = new TrafficLog();
    const view = new TrafficView(log);
    log.add(entry(1, { kind: 'request', id: 1, method: 'ping' }));
    log.add(entry(2, { kind: 'success', id: 1, from: 'plugin' }));
    log.add(entry(3, { method: 'plugin.health' }));
    log.add(entry(4, { method: 'ping_sky' }));
    const shown = (pings: boolean) => {
      view.filter({ ...noFilter, pings });
      view.advance(10);
      return all(view);
    };
    expect(shown(false)).toEqual([4]);
    expect(shown(true)).toEqual([1, 2, 3, 4]);
    expect(isFiltering({ ...noFilter, pings: true })).toBe(false);
    expect(isFiltering({ ...noFilter, method: 'x' })).toBe(true);
  });

  test('shows what fits, and what comes later', () => {
    const log = new TrafficLog();
    const view = new TrafficView(log);
    log.add(entry(1, { method: 'tools/list', text: 'A[b' }));
    log.add(entry(2, { method: 'tools/call', plugin: 'other', from: 'plugin' }));
    view.advance(10);
    expect(all(view)).toEqual([1, 2]);
    view.filter({ ...noFilter, method: 'LIST' });
    view.advance(10);
    expect(all(view)).toEqual([1]);
    view.filter({ ...noFilter, method: ' -LIST' });
    view.advance(10);
    expect(all(view)).toEqual([2]);
    view.filter({ ...noFilter, from: 'plugin' });
    log.add(entry(3, { from: 'plugin' }));
    view.advance(10);
    expect(all(view)).toEqual([2, 3]);
    view.filter({ ...noFilter, text: 'a[B' });
    view.advance(10);
    expect(all(view)).toEqual([1]);
    expect(view.indexOf(0)).toBe(0);
    expect(view.indexOf(1)).toBe(-1);
  });

  test('forgets with the log', () => {
    const log = new TrafficLog({ messages: 4 });
    const view = new TrafficView(log);
    for (let seq = 1; seq <= 4; seq++) log.add(entry(seq));
    view.advance(10);
    for (let seq = 5; seq <= 7; seq++) log.add(entry(seq));
    view.advance(10);
    expect(all(view)).toEqual([4, 5, 6, 7]);
    expect(view.forgotten).toBe(3);
    log.clear();
    view.advance(10);
    expect(view.count).toBe(0);
  });

  test('stops when its time is up, and goes on later', () => {
    const log = new TrafficLog();
    const view = new TrafficView(log);
    for (let seq = 1; seq <= 1000; seq++) log.add(entry(seq));
    let time = 0;
    const isDone = view.advance(1, () => time++);
    expect(isDone).toBe(false);
    expect(view.count).toBe(200);
    while (!view.advance(1, () => time++));
    expect(view.count).toBe(1000);
  });

  test('agrees with looking at every message', () => {
    const action = fc.oneof(
      fc.record({ plugin: fc.constantFrom('a', 'b'), method: fc.constantFrom('x', 'y') }),
      fc.constantFrom('filter a', 'filter', 'advance', 'clear'),
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const log = new TrafficLog({ messages: 10 });
        const view = new TrafficView(log);
        let seq = 0;
        let plugin = '';
        for (const step of actions) {
          if (step === 'advance') view.advance(1, () => 0);
          else if (step === 'clear') log.clear();
          else if (typeof step === 'string') view.filter({ ...noFilter, plugin: (plugin = step.slice(7)) });
          else log.add(entry(++seq, step));
        }
        view.advance(1, () => 0);
        const expected = Array.from({ length: log.size }, (_, index) => log.at(log.first + index)).filter(
          (message) => plugin === '' || message?.plugin === plugin,
        );
        expect(all(view)).toEqual(expected.map((message) => message?.seq));
      }),
    );
  });
});
