// The icons, drawn on a grid of 16.
export type IconName = keyof typeof shapes;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={shapes[name]} />
    </svg>
  );
}

const shapes = {
  fleet: 'M2.5 2.5h4.5v4.5h-4.5zM9 2.5h4.5v4.5h-4.5zM2.5 9h4.5v4.5h-4.5zM9 9h4.5v4.5h-4.5z',
  tools:
    'M9.8 2.3a3.6 3.6 0 0 0-2 4.9l-5.2 5.2 1.3 1.3 5.2-5.2a3.6 3.6 0 0 0 4.7-4.6l-2.2 2.2-1.9-.5-.5-1.9z',
  traffic: 'M2 5.5h11M10 2.5l3 3-3 3M14 10.5h-11M6 7.5l-3 3 3 3',
  talks: 'M2.5 3h11v7.5h-6l-3 2.8v-2.8h-2zM5 6h6M5 8h4',
  approvals: 'M8 1.8l5 1.9v3.8c0 3.2-2.1 5.4-5 6.7-2.9-1.3-5-3.5-5-6.7v-3.8zM5.8 7.8l1.6 1.7 2.9-3.2',
  audit: 'M4 2h8v12l-2-1.2-2 1.2-2-1.2-2 1.2zM6 5.5h4M6 8.5h4',
  sun: 'M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6zM8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9',
  moon: 'M13.2 9.6a5.6 5.6 0 0 1-6.8-6.8 5.6 5.6 0 1 0 6.8 6.8z',
  system: 'M2 3h12v8h-12zM6 13.5h4M8 11v2.5',
  help: 'M8 1.8a6.2 6.2 0 1 1 0 12.4 6.2 6.2 0 0 1 0-12.4zM6.2 6.2a1.8 1.8 0 1 1 2.6 1.7c-.5.3-.8.6-.8 1.2M8 11.4v.1',
  play: 'M5 3l7.5 5-7.5 5z',
  stop: 'M4 4h8v8h-8z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  restart: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.2v2.8h-2.8',
  record: 'M8 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8z',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  check: 'M3 8.5l3.2 3.2 6.8-7.2',
  close: 'M4 4l8 8M12 4l-8 8',
  chevron: 'M6 3.5l4.5 4.5-4.5 4.5',
  back: 'M10 3.5l-4.5 4.5 4.5 4.5',
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.4 10.4l3.1 3.1',
  download: 'M8 2.5v7.5M5 7.2l3 3 3-3M3 13h10',
  warning: 'M8 2.2l6.2 11.3h-12.4zM8 6.5v3.2M8 11.6v.1',
  lock: 'M4 7.2h8v6.3h-8zM5.5 7.2v-2a2.5 2.5 0 0 1 5 0v2',
  quote: 'M3 4h4v4c0 2-1 3.2-3 4M9 4h4v4c0 2-1 3.2-3 4',
  plus: 'M8 3v10M3 8h10',
  bin: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9',
  send: 'M2.5 8l11-5-4 11-2.2-4.6zM7.3 9.4l6.2-6.4',
  offline:
    'M2 2l12 12M4.8 9.3a4.6 4.6 0 0 1 2-1.1M8 12.3v.1M2.6 6.8a7.7 7.7 0 0 1 2.6-1.7M9.2 8.2a4.6 4.6 0 0 1 2 1.1M7.4 4.5a7.7 7.7 0 0 1 6 2.3',
} as const;
