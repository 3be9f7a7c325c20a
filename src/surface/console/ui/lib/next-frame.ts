// Does something before the next frame is drawn. Where nobody sees the page none is drawn: then it is done soon.

export interface FramePorts {
  readonly requestAnimationFrame: (step: () => void) => unknown;
  readonly document: Pick<Document, 'hidden' | 'addEventListener' | 'removeEventListener'>;
}

export function nextFrame({ requestAnimationFrame, document }: FramePorts): (step: () => void) => void {
  return (step) => {
    let isDone = false;
    const once = () => {
      if (isDone) return;
      isDone = true;
      document.removeEventListener('visibilitychange', hide);
      step();
    };
    const hide = () => {
      if (document.hidden) soon(once);
    };
    document.addEventListener('visibilitychange', hide);
    if (document.hidden) soon(once);
    else requestAnimationFrame(once);
  };
}

/** Timers of a page that nobody sees come once in a second or a minute; messages come. */
function soon(step: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    step();
  };
  port2.postMessage(undefined);
}
