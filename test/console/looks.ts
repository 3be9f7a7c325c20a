// Checks of a page that run inside the browser; each returns what it found wrong.

/** Elements that stand out of the page, and whether the page itself scrolls. */
export function tooWide(): string[] {
  const { innerWidth } = window;
  const wide = [...document.querySelectorAll<HTMLElement>('body *')].filter((element) => {
    const { right, width } = element.getBoundingClientRect();
    if (width === 0 || right <= innerWidth + 1 || element.closest('svg, .unseen') !== null) return false;
    // What scrolls in a place of its own is meant to.
    for (let around = element.parentElement; around !== null; around = around.parentElement)
      if (
        ['auto', 'scroll', 'hidden'].includes(getComputedStyle(around).overflowX) &&
        around !== document.body
      )
        return false;
    return true;
  });
  return [
    ...wide.map((element) => `${element.tagName} ${element.className}`),
    ...(document.documentElement.scrollWidth > innerWidth ? ['the page'] : []),
  ];
}

/** Texts whose contrast to what is behind them is less than 4.5 to 1. */
export function faintTexts(): string[] {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (color: string): [number, number, number, number] => {
    if (canvas === null) return [0, 0, 0, 0];
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0, alpha = 0] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha];
  };
  const light = (color: string) => {
    const [red, green, blue] = rgba(color).map((part) => {
      const value = part / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
  };
  const behind = (element: Element | null): string => {
    for (let at = element; at !== null; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (rgba(backgroundColor)[3] === 255) return backgroundColor;
    }
    return 'white';
  };
  const faint: string[] = [];
  for (const element of document.querySelectorAll<HTMLElement>('body *')) {
    const hasText = [...element.childNodes].some(
      (node) => node.nodeType === 3 && node.textContent?.trim() !== '',
    );
    if (
      !hasText ||
      element.offsetParent === null ||
      element.matches(':disabled, :disabled *, option, .unseen, .unseen *')
    )
      continue;
    const [one, other] = [light(getComputedStyle(element).color), light(behind(element))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < 4.5)
      faint.push(`${contrast.toFixed(2)} ${element.className} ${element.textContent?.slice(0, 30)}`);
  }
  return faint;
}

/** What can be used but has no name for those who listen. */
export function nameless(): string[] {
  return [
    ...document.querySelectorAll<HTMLElement>(
      'button, a[href], input, select, textarea, [role="listbox"], [role="log"]',
    ),
  ]
    .filter((element) => {
      if (element.offsetParent === null) return false;
      const labels =
        element instanceof HTMLInputElement ||
        element instanceof HTMLSelectElement ||
        element instanceof HTMLTextAreaElement
          ? (element.labels?.length ?? 0)
          : 0;
      const isField = element.matches('input, select, textarea');
      const words = element.getAttribute('aria-label') ?? (isField ? '' : element.textContent) ?? '';
      return labels === 0 && words.trim() === '';
    })
    .map((element) => element.outerHTML.slice(0, 120));
}

/** What is not seen whole: it sticks out of a place that cuts it off, and has no dots to say so. Fields tell of words that do not fit. */
export function cutOff(): string[] {
  const clips = new Set(['hidden', 'clip', 'auto', 'scroll']);
  // These are scrolled sideways on purpose.
  const meant = '.tabs, .tray ul, .markdown .wide, .question-list';
  const canvas = document.createElement('canvas').getContext('2d');
  const widthOf = (text: string, element: Element) => {
    if (canvas === null) return 0;
    canvas.font = getComputedStyle(element).font;
    return canvas.measureText(text).width;
  };
  const isShown = (element: HTMLElement) =>
    element.offsetParent !== null && element.closest('.unseen') === null;
  const told = (element: Element) =>
    `${element.tagName.toLowerCase()}.${element.getAttribute('class')} "${element.textContent?.trim().slice(0, 30)}"`;
  const found: string[] = [];
  for (const element of document.querySelectorAll<HTMLElement>('main *, aside *, dialog[open] *')) {
    const hasText = [...element.childNodes].some(
      (node) => node.nodeType === 3 && node.textContent?.trim() !== '',
    );
    if (!isShown(element) || !(hasText || element.matches('button, input, select, textarea, .icon')))
      continue;
    const { left, right, width } = element.getBoundingClientRect();
    if (width === 0) continue;
    for (let around = element.parentElement; around !== null; around = around.parentElement) {
      const style = getComputedStyle(around);
      if (style.textOverflow === 'ellipsis' || around.matches(meant)) break;
      if (!clips.has(style.overflowX) || style.display === 'contents') continue;
      const box = around.getBoundingClientRect();
      if (right > box.right + 1 || left < box.left - 1) {
        found.push(told(element));
        break;
      }
    }
  }
  for (const field of document.querySelectorAll<HTMLSelectElement | HTMLInputElement>('select, input')) {
    if (!isShown(field)) continue;
    const isSelect = field instanceof HTMLSelectElement;
    const words = isSelect
      ? (field.selectedOptions[0]?.textContent ?? '')
      : field.value === ''
        ? field.placeholder
        : '';
    const { paddingLeft, paddingRight } = getComputedStyle(field);
    const room = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
    // The arrow of a select takes some of it.
    if (words !== '' && widthOf(words, field) > room - (isSelect ? 14 : 0) + 1)
      found.push(`${field.tagName.toLowerCase()} "${words}"`);
  }
  return found;
}
