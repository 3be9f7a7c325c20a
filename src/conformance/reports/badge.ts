// A report as a small picture for a README: the dialect on the left, the grade on the right.
import type { CheckReport, Grade } from '../report.ts';

export function badgeOf({ dialect, grade, counts }: CheckReport): string {
  const label = `pluglot · ${dialect}`;
  const total = counts.passed + counts.errors + counts.warnings + counts.hints;
  const value = `${grade}  ${counts.passed}/${total}`;
  const [left, right] = [widthOf(label), widthOf(value)];
  const width = left + right;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${label}: grade ${grade}, ${counts.passed} of ${total} checks passed">
  <title>${label}: grade ${grade}, ${counts.passed} of ${total} checks passed</title>
  <linearGradient id="shade" x2="0" y2="100%"><stop offset="0" stop-color="#fff" stop-opacity=".12"/><stop offset="1" stop-opacity=".12"/></linearGradient>
  <clipPath id="round"><rect width="${width}" height="20" rx="4"/></clipPath>
  <g clip-path="url(#round)">
    <rect width="${left}" height="20" fill="#33373d"/>
    <rect x="${left}" width="${right}" height="20" fill="${colours[grade]}"/>
    <rect width="${width}" height="20" fill="url(#shade)"/>
  </g>
  <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle" xml:space="preserve">
    <text x="${left / 2}" y="14">${label}</text>
    <text x="${left + right / 2}" y="14" font-weight="bold">${value}</text>
  </g>
</svg>
`;
}

const colours: Readonly<Record<Grade, string>> = {
  A: '#2e8b57',
  B: '#6a9a2d',
  C: '#b08a1e',
  D: '#c8662a',
  F: '#c23b3b',
};

/** As wide as its characters are in the middle of all fonts, and a margin. */
function widthOf(text: string): number {
  return Math.round(text.length * 6.8) + 14;
}
