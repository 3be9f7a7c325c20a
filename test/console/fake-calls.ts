// Tools of the fake API, one behaviour each.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '../../src/base/json.ts';
import { open, say } from './fake-answers.ts';
import { report } from './fake-world.ts';

export async function fakeCall(
  name: string,
  body: JsonObject,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  open(response, { 'x-pluglot-call': 'call-1' });
  const end = (outcome: JsonObject) => {
    say(response, 'outcome', { durationMs: 21, id: 'call-1', ...outcome });
    response.end();
  };
  switch (name) {
    case 'report': {
      const pieces = report.match(/[\s\S]{1,40}/g) ?? [];
      for (const [index, piece] of pieces.entries()) {
        say(response, 'text', { kind: 'text', text: piece });
        say(response, 'progress', {
          kind: 'progress',
          progress: index + 1,
          total: pieces.length,
          message: 'writing',
        });
      }
      return end({ ok: true, text: report });
    }
    case 'wait':
      say(response, 'text', { kind: 'text', text: 'It takes its time …' });
      say(response, 'progress', { kind: 'progress', progress: 3, total: 10, message: 'at it' });
      say(response, 'progress', { kind: 'progress', progress: 3.000001, message: 'still at it' });
      await new Promise((resolve) => request.socket.once('close', resolve));
      return;
    case 'fail':
      return end({
        ok: false,
        text: 'The token may not write here.',
        error: {
          code: 'TOOL_FAILED',
          message: 'The token may not write here.',
          suggestions: ['Use a token with write access.'],
          stderr: 'Error: 403',
        },
      });
    case 'picture':
      return end({
        ok: true,
        data: [
          { type: 'image', data: PNG, mimeType: 'image/png' },
          { type: 'audio', data: WAV, mimeType: 'audio/wav' },
        ],
      });
    case 'benchmark':
      return end({ ok: true, text: 'Which game shall I run?', keepSession: true });
    case 'long':
      return end({ ok: true, text: 'x'.repeat(300_000) });
    default:
      say(response, 'log', { kind: 'log', level: 'info', message: `called ${name}` });
      return end({
        ok: true,
        text: typeof body['args'] === 'object' ? JSON.stringify(body['args']) : '',
        data: { heard: body['args'] ?? {}, by: name },
      });
  }
}

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAA';
