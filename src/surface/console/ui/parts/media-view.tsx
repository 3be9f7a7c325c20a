// Images and sounds of a tool, each in a frame that says whose it is, and all of them to take away.
import { shortSize } from '../lib/format.ts';
import { bytesOf, type MediaPart } from '../lib/media.ts';
import { visible } from '../lib/visible.ts';
import { DownloadButton } from './download-button.tsx';
import { Quoted } from './quoted.tsx';

export function MediaView({ parts }: { readonly parts: readonly MediaPart[] }) {
  return (
    <div class="media">
      {parts.map((part, index) => (
        <Quoted key={index} by={`${words[part.kind]} of the tool`}>
          <div class="media-part">
            <Shown part={part} label={`${words[part.kind]} ${index + 1} of the result`} />
            <div class="row">
              <span class="mono small">{visible(part.name)}</span>
              <span class="faint small">
                {visible(part.type)} · {shortSize(part.size)}
              </span>
              <span class="push">
                <DownloadButton name={part.name} content={() => bytesOf(part.data)} />
              </span>
            </div>
          </div>
        </Quoted>
      ))}
    </div>
  );
}

const words = { image: 'Image', audio: 'Sound', file: 'File' } as const;

function Shown({ part: { kind, type, data }, label }: { readonly part: MediaPart; readonly label: string }) {
  if (kind === 'file') return null;
  // The type is one of a short list, so that nothing else can stand in this address.
  const address = `data:${type};base64,${data}`;
  return kind === 'image' ? (
    <img src={address} alt={label} />
  ) : (
    <audio src={address} aria-label={label} controls preload="metadata" />
  );
}
