// Whoever opens a tool wants to fill it in. On a phone that would bring up the keyboard over what is to be read first.

export function focusFirstField(form: HTMLElement | null): void {
  if (!matchMedia('(hover: hover) and (pointer: fine)').matches) return;
  const field =
    form?.querySelector<HTMLElement>(
      ':is(.fields, .field, .items) :is(input, select, textarea, .switch button)',
    ) ?? form?.querySelector<HTMLElement>('button[type="submit"]');
  field?.focus({ preventScroll: true });
}
