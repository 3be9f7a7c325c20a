import { expect, test } from 'vitest';
import { turns } from '../../test/support/channel/pipe-ends.ts';
import type { Ending, PipeReader } from '../channel/bytes/pipe.ts';
import { linkedPipes } from '../channel/bytes/stream-pipe.ts';
import { HostPipe } from './host-pipe.ts';

test('without a look it is the pipe that it is made of', async () => {
  const { host, pipe } = ends();
  const reader = new Reader();
  pipe.open(reader);
  host.write('hello');
  await turns();
  expect(reader.text).toBe('hello');
  pipe.write('hi');
  expect(pipe.writes).toBe(1);
  void host.finish();
  expect(await pipe.ended).toEqual({ kind: 'ended' });
  await turns();
  expect(reader.ending).toEqual({ kind: 'ended' });
});

test('what was looked at is read again, before what came after it', async () => {
  const { host, pipe } = ends();
  const looked = new Reader();
  pipe.peek(looked);
  host.write('one ');
  await turns();
  expect(looked.text).toBe('one ');
  pipe.handBack(Buffer.from('one '));
  host.write('two ');
  await turns();
  const reader = new Reader();
  pipe.open(reader);
  expect(reader.text).toBe('');
  host.write('three');
  await turns();
  expect(reader.text).toBe('one two three');
});

test('a reader that pauses gets the rest when it goes on, and the end last', async () => {
  const { host, pipe } = ends();
  pipe.peek(new Reader());
  pipe.handBack(Buffer.from('one '));
  host.write('two');
  void host.finish();
  await turns();
  const heard: string[] = [];
  pipe.open({
    data: (chunk) => {
      heard.push(String(chunk));
      pipe.pause();
    },
    end: ({ kind }) => heard.push(kind),
  });
  await turns();
  expect(heard).toEqual(['one ']);
  pipe.resume();
  await turns();
  expect(heard.slice(0, 2)).toEqual(['one ', 'two']);
  pipe.resume();
  await turns();
  expect(heard).toEqual(['one ', 'two', 'ended']);
});

test('an end in the moment of the look is told to the look and to the reader', async () => {
  const { host, pipe } = ends();
  const looked = new Reader();
  pipe.peek(looked);
  void host.finish();
  await pipe.ended;
  expect(looked.ending).toEqual({ kind: 'ended' });
  pipe.handBack(Buffer.from('all'));
  const reader = new Reader();
  pipe.open(reader);
  await turns();
  expect(reader).toMatchObject({ text: 'all', ending: { kind: 'ended' } });
});

test('one that is closed hands out nothing more', async () => {
  const { pipe } = ends();
  pipe.peek(new Reader());
  pipe.handBack(Buffer.from('unread'));
  const reader = new Reader();
  pipe.open(reader);
  pipe.destroy();
  await turns();
  expect(reader.text).toBe('');
});

class Reader implements PipeReader {
  text = '';
  ending: Ending | undefined;

  data(chunk: Buffer): void {
    this.text += chunk.toString();
    // The chunk is the reader's to overwrite.
    chunk.fill(0);
  }

  end(ending: Ending): void {
    this.ending = ending;
  }
}

function ends() {
  const [host, own] = linkedPipes();
  return { host, pipe: new HostPipe(own) };
}
