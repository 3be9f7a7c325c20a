// What a page lists, as the keys see it: elements with `data-row`, in their order.

/** To another of them: from the one with the focus, else from the one that is open. */
export function moveFocus(document: Document, by: number): boolean {
  const rows = shownRows(document);
  const focused = rows.findIndex((row) => row === document.activeElement);
  const at = focused >= 0 ? focused : rows.findIndex((row) => row.getAttribute('aria-current') === 'true');
  const last = rows.length - 1;
  const next = at < 0 ? (by > 0 ? 0 : last) : Math.min(Math.max(at + by, 0), last);
  rows[next]?.focus();
  rows[next]?.scrollIntoView({ block: 'nearest' });
  return rows.length > 0;
}

export function openFirst(document: Document): boolean {
  const [first] = shownRows(document);
  first?.click();
  return first !== undefined;
}

function shownRows(document: Document): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('[data-row]')].filter((row) => row.offsetParent !== null);
}
