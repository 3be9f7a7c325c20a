// Questions that several checks have: what a method answers, and whether the plugin has it at all.
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { doesNotApply, Unmet, type Finding } from '../../check.ts';
import type { Subject } from '../../subject/subject.ts';

/** Looks at the result of the recorded task; does not apply to what does no tasks. */
export async function ofTask(subject: Subject, look: (result: JsonObject) => Finding): Promise<Finding> {
  const { call } = await subject.session();
  if (call.probe.tool !== 'execute_task') return doesNotApply('It is no executor.');
  if (call.end === undefined) throw new Unmet(call.problem ?? 'The task never ended.');
  return look(resultIn('execute_task', call.end.message));
}

/** Asks a method and looks at the result; does not apply to what has no such method. */
export async function ofMethod(
  subject: Subject,
  tool: string,
  args: JsonObject,
  look: (result: JsonObject) => Finding,
): Promise<Finding> {
  const { conversation, introduction } = await subject.greet();
  if (!introduction.tools.some(({ name }) => name === tool)) return doesNotApply(`It has no ${tool}.`);
  const { message } = await conversation.call({ tool, args });
  return look(resultIn(tool, message));
}

/** @throws Unmet */
function resultIn(method: string, message: JsonObject): JsonObject {
  const { result } = message;
  if (isJsonObject(result)) return result;
  throw new Unmet(`Expected a result of ${method} that is an object; it answered ${shown(message, 200)}`);
}
