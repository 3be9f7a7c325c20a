// Images, sounds and files in what a tool answered, as MCP tells them: base64 with a type.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../../base/json.ts';

export interface MediaPart {
  /** `file`: one that the page can only hand on. */
  readonly kind: 'image' | 'audio' | 'file';
  readonly type: string;
  /** In base64. */
  readonly data: string;
  /** To save it under. */
  readonly name: string;
  /** In bytes. */
  readonly size: number;
}

/** Only these are shown; all of them are drawn or played and never run. */
const shown: Readonly<Record<string, { readonly kind: 'image' | 'audio'; readonly ending: string }>> = {
  'image/png': { kind: 'image', ending: 'png' },
  'image/jpeg': { kind: 'image', ending: 'jpg' },
  'image/gif': { kind: 'image', ending: 'gif' },
  'image/webp': { kind: 'image', ending: 'webp' },
  'image/avif': { kind: 'image', ending: 'avif' },
  'image/bmp': { kind: 'image', ending: 'bmp' },
  'image/svg+xml': { kind: 'image', ending: 'svg' },
  'audio/wav': { kind: 'audio', ending: 'wav' },
  'audio/x-wav': { kind: 'audio', ending: 'wav' },
  'audio/mpeg': { kind: 'audio', ending: 'mp3' },
  'audio/mp3': { kind: 'audio', ending: 'mp3' },
  'audio/ogg': { kind: 'audio', ending: 'ogg' },
  'audio/webm': { kind: 'audio', ending: 'webm' },
  'audio/mp4': { kind: 'audio', ending: 'm4a' },
  'audio/aac': { kind: 'audio', ending: 'aac' },
  'audio/flac': { kind: 'audio', ending: 'flac' },
};

const PARTS_MAX = 20;
const NODES_MAX = 500;
const DEPTH_MAX = 5;

export function mediaIn(data: Json | undefined): MediaPart[] {
  const parts: MediaPart[] = [];
  const budget = { left: NODES_MAX };
  const look = (value: Json | undefined, depth: number) => {
    budget.left -= 1;
    if (budget.left < 0 || depth > DEPTH_MAX || parts.length >= PARTS_MAX) return;
    if (isJsonArray(value)) for (const item of value) look(item, depth + 1);
    else if (isJsonObject(value)) {
      const part = partOf(value, parts.length + 1);
      if (part !== undefined) parts.push(part);
      else for (const inner of Object.values(value)) look(inner, depth + 1);
    }
  };
  look(data, 0);
  return parts;
}

/** Whether there is nothing in it but that. */
export function isMediaAlone(data: Json | undefined): boolean {
  return isJsonArray(data) && data.length > 0 && data.length === mediaIn(data).length;
}

function partOf(value: JsonObject, number: number): MediaPart | undefined {
  const { type: kind, data, blob, mimeType, uri } = value;
  const told = kind === 'image' || kind === 'audio' ? data : blob;
  if (typeof told !== 'string') return undefined;
  // Blanks go first: a pattern that allows them in two places takes for ever on very many.
  const text = told.replaceAll(/\s/g, '');
  if (!/^[\w+/-]+={0,2}$/.test(text)) return undefined;
  const type = (typeof mimeType === 'string' ? mimeType : 'application/octet-stream')
    .split(';', 1)
    .join('')
    .trim()
    .toLowerCase();
  const known = Object.hasOwn(shown, type) ? shown[type] : undefined;
  return {
    kind: known?.kind ?? 'file',
    type,
    data: text,
    name: fileName(typeof uri === 'string' ? uri : '') ?? `result-${number}.${known?.ending ?? 'bin'}`,
    size: Math.floor((text.replace(/=+$/, '').length * 3) / 4),
  };
}

/** The last part of an address, where it is fit for a name. */
function fileName(uri: string): string | undefined {
  const [, name] = /\/([\w][\w .@-]{0,99})$/.exec(uri) ?? [];
  return name;
}

/** @throws where it is no base64 */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64.replaceAll(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}
