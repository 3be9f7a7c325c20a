// First stage: the name is that of something exposed which this caller is offered.
import {
  isOffered,
  type CallSource,
  type ResolvedCommand,
  type ResolvedContent,
  type ResolvedTool,
} from '../../fleet/registry/resolved.ts';
import type { Asked } from '../attempt.ts';
import { Denial, permissionDenied } from '../denial.ts';

/** What has a definition of its own. */
export type Defined = ResolvedTool | ResolvedCommand;
export type Target = Defined | ResolvedContent;

export function isContent(target: Target): target is ResolvedContent {
  return target.kind === 'resource' || target.kind === 'prompt';
}

export function find(
  source: CallSource,
  { kind, name, caller, notShown, content }: Pick<Asked, 'kind' | 'name' | 'caller' | 'notShown' | 'content'>,
): Target | Denial {
  if (content !== undefined) return content;
  if (kind !== 'tool' && kind !== 'command') throw new Error(`nothing was handed over for the ${kind}`);
  const target = kind === 'tool' ? source.resolveTool(name) : source.resolveCommand(name);
  if (target === undefined) {
    const { code, message } = source.whyNot(name, kind);
    return new Denial('unknown', { code, message });
  }
  if (!isOffered(caller, target)) return notOffered(target);
  return notShown === undefined ? target : permissionDenied('not-offered', notShown);
}

function notOffered(target: Target): Denial {
  if (target.kind === 'command' && target.command.forUsersOnly === true)
    return permissionDenied('not-offered', `the command "${target.name}" is for the user of this host alone`);
  return permissionDenied('not-offered', `the plugin "${target.plugin}" is not offered to clients`, {
    wayOut: `Its owner offers it with "clients": true at plugins.${target.plugin} in pluglot.json.`,
  });
}
