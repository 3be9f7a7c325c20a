// Whoever made a call, as far as the plugin may ask them something before it answers.
import type { Json, JsonObject } from '../base/json.ts';

/**
 * `sample`: a turn of their model. `elicit`: something of their user. `roots`: the folders they work in. Parameters and answers are those
 * of MCP, the one dialect that has words for it.
 */
export interface PluginQuestion {
  readonly kind: 'sample' | 'elicit' | 'roots';
  readonly params: JsonObject;
}

export interface Asker {
  /**
   * The signal fires when the plugin does not wait any more.
   * @throws PluglotError UNSUPPORTED when they cannot be asked that
   */
  ask(question: PluginQuestion, signal: AbortSignal): Promise<Json>;
}
