// The screen of `pluglot up` while it starts: drawn in place for a person, in plain lines for everybody else.
import type { FleetEvent } from '../../../fleet/fleet.ts';
import type { CommandContext } from '../commands/context.ts';
import { tellUntrusted } from '../commands/lists.ts';
import type { PluginView } from '../../../runtime/api.ts';
import { readyCount } from '../../../base/ready-count.ts';
import { withoutBuiltIns, type Host } from '../host/host.ts';
import { openBrowser } from './open-browser.ts';
import { addressLines, connectLines, heightOf, offerOf, pluginLines } from './screen.ts';
import type { ServedRuntime } from './serve-runtime.ts';

export interface UpScreen {
  /** States of plugins are seen without being told. */
  readonly isDrawn: boolean;
  begin(): Promise<void>;
  changed(event: FleetEvent): void;
  /** All that is to run does, or does not. `isOver`: somebody has interrupted. */
  started(isOver: boolean): Promise<void>;
}

export interface UpScreenParts {
  readonly context: CommandContext;
  readonly host: Pick<Host, 'plugins' | 'tools'>;
  readonly served: Pick<ServedRuntime, 'url' | 'token' | 'consoleLink'>;
  /** The page is to be shown at once. */
  readonly opens: boolean;
  /** Since nothing is configured. */
  readonly hasOnlyExamples: boolean;
}

export function upScreen(parts: UpScreenParts): UpScreen {
  const { context, host, served, opens, hasOnlyExamples } = parts;
  const { url, token, consoleLink } = served;
  const place = { url, token, link: consoleLink?.().url };
  const { out, err, json, version } = context;
  let isDrawn = out.live && !json;
  let isDrawing = false;
  const draw = async () => {
    // Many change at once.
    if (!isDrawn || isDrawing) return;
    isDrawing = true;
    await new Promise((resolve) => setImmediate(resolve));
    const views = await shownViews(host);
    isDrawing = false;
    if (isDrawn) out.pin(pluginLines(out, views));
  };
  return {
    get isDrawn() {
      return isDrawn;
    },
    async begin() {
      if (json) {
        const { link } = place;
        const shown = { url, mcp: `${url}/mcp`, ...(link !== undefined && { console: link }), token };
        return out.line(JSON.stringify({ at: Date.now(), ...shown }));
      }
      for (const line of addressLines(out, place, version)) out.line(line);
      if (opens && consoleLink !== undefined && out.live) {
        // Another one: that on the screen is still good then.
        const failure = await openBrowser(consoleLink().url, context);
        if (failure !== undefined)
          err.line(`${err.colours.yellow('!')} The browser was not opened: ${failure}`);
      }
      await draw();
    },
    changed({ kind }) {
      if (kind !== 'logged') void draw();
    },
    async started(isOver) {
      const views = await shownViews(host);
      if (isDrawn) out.pin(pluginLines(out, views));
      isDrawn = false;
      out.pin(undefined);
      if (json || isOver) return;
      const connect = connectLines(out, place, offerOf(await host.tools()));
      for (const line of connect) out.line(line);
      const whole = [...addressLines(out, place, version), ...pluginLines(out, views), ...connect];
      // On a small screen its first lines are gone by now.
      if (
        out.live &&
        place.link !== undefined &&
        heightOf(whole, out.columns) + 2 > (context.stdout.rows || 24)
      )
        out.line(`  ${out.colours.cyan(place.link)}\n`);
      const end = out.colours.dim('A second Ctrl-C ends all at once.');
      out.line(`${out.colours.bold(countOf(views))} Ctrl-C stops them. ${end}`);
      if (hasOnlyExamples)
        out.line(
          out.colours.dim(
            'Nothing is configured, so these are examples. Add yours: pluglot add NAME -- COMMAND…',
          ),
        );
      tellUntrusted(context, views);
    },
  };
}

/** The built-in ones are nobody's concern here. */
async function shownViews(host: Pick<Host, 'plugins'>): Promise<readonly PluginView[]> {
  return withoutBuiltIns((await host.plugins()).plugins);
}

function countOf(views: readonly PluginView[]): string {
  const { ready, total, later } = readyCount(views);
  const rest = later === 0 ? '' : `${later} ${later === 1 ? 'starts' : 'start'} when used.`;
  if (total === 0) return `No plugin is started yet; ${rest}`;
  const are = total === 1 ? 'plugin is' : 'plugins are';
  return `${ready} of ${total} ${are} ready${rest === '' ? '.' : `; ${rest}`}`;
}
