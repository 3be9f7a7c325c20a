// results.svg: four small charts with bars on a logarithmic scale, readable on light and dark pages.
import { formatCount } from './tables.mjs';

/** @typedef {import('../measure.mjs').Run} Run */
/** @typedef {import('./markdown.mjs').Circumstances} Circumstances */
/** @typedef {{ metric: string, title: string, format: (value: number) => string }} Panel */

/** @type {readonly Panel[]} */
const panels = [
  { metric: 'calls-1024', title: 'Small calls per second, 1024 in flight', format: formatCount },
  { metric: 'notifications', title: 'Notifications per second, child to host', format: formatCount },
  {
    metric: 'alone-p50',
    title: 'One call alone, median (less is better)',
    format: (value) => `${Math.round(value)} µs`,
  },
  {
    metric: 'payload-1MiB',
    title: '1 MiB payload there and back',
    format: (value) => `${Math.round(value)} MB/s`,
  },
];

const width = 960;
const margin = 24;
const top = 64;
const gap = 32;
const labelWidth = 164;
const valueWidth = 62;
const rowHeight = 22;
const panelWidth = (width - 2 * margin - gap) / 2;
const barWidth = panelWidth - labelWidth - valueWidth;

/**
 * @param {Run} run
 * @param {Circumstances} circumstances
 */
export function chart(run, { date, machine }) {
  const panelHeight = 30 + run.contenders.length * rowHeight;
  const height = top + 2 * panelHeight + gap + margin;
  const drawn = panels.map((panel, index) => {
    const x = margin + (index % 2) * (panelWidth + gap);
    const y = top + Math.floor(index / 2) * (panelHeight + gap);
    return `<g transform="translate(${x} ${y})">\n${drawPanel(run, panel)}\n</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">pluglot's channel beside its peers, ${date}</title>
<style>
  svg { --page: #ffffff; --ink: #1f2328; --faint: #59636e; --line: #d1d9e0; --bar: #9aa4af; --us: #0969da; }
  @media (prefers-color-scheme: dark) {
    svg { --page: #0d1117; --ink: #f0f6fc; --faint: #9198a1; --line: #3d444d; --bar: #656c76; --us: #4493f8; }
  }
  text { font: 12px ui-sans-serif, system-ui, sans-serif; fill: var(--ink); }
  .page { fill: var(--page); } .head { font-size: 18px; font-weight: 600; } .panel { font-size: 13px; font-weight: 600; }
  .faint { fill: var(--faint); } .us { font-weight: 600; } .label { text-anchor: end; }
  line { stroke: var(--line); stroke-width: 1; } rect.json { fill: var(--bar); } rect.us { fill: var(--us); }
  rect.limit { fill: none; stroke: var(--bar); stroke-dasharray: 3 2; }
</style>
<rect class="page" width="${width}" height="${height}" rx="8"/>
<text class="head" x="${margin}" y="30">pluglot's channel beside its peers</text>
<text class="faint" x="${margin}" y="48">${escape(`Medians; logarithmic scale, a line per power of ten. ${machine.cores} cores, Node ${machine.node}, ${date}.`)}</text>
${drawn.join('\n')}
</svg>
`;
}

/**
 * @param {Run} run
 * @param {Panel} panel
 */
function drawPanel({ contenders, samples }, { metric, title, format }) {
  const bars = contenders.flatMap((contender) => {
    const value = samples.summary(metric, contender.id)?.median;
    return value === undefined ? [] : [{ contender, value }];
  });
  const least = Math.floor(Math.log10(Math.min(...bars.map(({ value }) => value))));
  const most = Math.log10(Math.max(...bars.map(({ value }) => value)));
  const scale = (/** @type {number} */ logarithm) => (barWidth * (logarithm - least)) / (most - least || 1);
  const bottom = 24 + bars.length * rowHeight;
  const grid = [];
  for (let power = least; power <= most; power++) {
    const x = (labelWidth + scale(power)).toFixed(1);
    grid.push(`<line x1="${x}" y1="22" x2="${x}" y2="${bottom}"/>`);
  }
  return [
    `<text class="panel" y="12">${escape(title)}</text>`,
    ...grid,
    ...bars.flatMap(({ contender, value }, index) => {
      const y = 24 + index * rowHeight;
      const length = Math.max(2, scale(Math.log10(value)));
      return [
        `<text class="label ${contender.kind}" x="${labelWidth - 8}" y="${y + 15}">${escape(contender.label)}</text>`,
        `<rect class="${contender.kind}" x="${labelWidth}" y="${y + 4}" width="${length.toFixed(1)}" height="${rowHeight - 8}" rx="2"/>`,
        `<text class="${contender.kind === 'us' ? 'us' : 'faint'}" x="${(labelWidth + length + 6).toFixed(1)}" y="${y + 15}">${escape(format(value))}</text>`,
      ];
    }),
  ].join('\n');
}

/** @param {string} text */
function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
