// What a call leads to, and whether its caller is offered it.
import {
  isOffered,
  type CallSource,
  type ResolvedCommand,
  type ResolvedContent,
  type ResolvedTool,
} from '../fleet/registry/contract.ts';
import { Denial, permissionDenied } from './denial.ts';
import type { CallRequest } from './call-request.ts';

/** What has a definition that can be pinned. */
export type DefinedTarget = ResolvedTool | ResolvedCommand;
export type Target = DefinedTarget | ResolvedContent;

export function isContent(target: Target): target is ResolvedContent {
  return target.kind === 'resource' || target.kind === 'prompt';
}

export function resolveTarget(
  source: CallSource,
  { kind, name, caller, notShown, content }: CallRequest,
): Target | Denial {
  if (content !== undefined) return content;
  if (kind !== 'tool' && kind !== 'command') throw new Error(`no content was given for the ${kind}`);
  const target = kind === 'tool' ? source.resolveTool(name) : source.resolveCommand(name);
  if (target === undefined) {
    const { code, message } = source.whyNot(name, kind);
    return new Denial('unknown', { code, message });
  }
  if (!isOffered(caller, target)) return notOffered(target);
  return notShown === undefined ? target : permissionDenied('not-offered', notShown);
}

function notOffered(target: DefinedTarget): Denial {
  if (target.kind === 'command' && target.command.forUsersOnly === true)
    return permissionDenied('not-offered', `the command "${target.name}" is for the user of this host alone`);
  return permissionDenied('not-offered', `the plugin "${target.plugin}" is not offered to clients`, {
    wayOut: `Its owner offers it with "clients": true at plugins.${target.plugin} in pluglot.json.`,
  });
}

/** The names for the audit log of a call that was denied, as far as they are known. */
export function namesOf(
  source: CallSource,
  { kind, name, content }: CallRequest,
): { readonly name: string; readonly plugin: string } {
  if (content !== undefined) return { name, plugin: content.plugin };
  const unknown = { name, plugin: '' };
  try {
    return (kind === 'tool' ? source.resolveTool(name) : source.resolveCommand(name)) ?? unknown;
  } catch {
    return unknown;
  }
}
