// How an executor answers validate_code. It may know any language, and need not know the one that a check happens to ask in.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import { shown, textOf } from '../../../base/shown.ts';
import { doesNotApply, failed, verdict, type Check } from '../../check.ts';
import { codeOf } from '../../drivers/responses.ts';

export const plannerValidationChecks: readonly Check[] = [
  {
    id: 'planner:validate:answer',
    title: 'Code is answered with a verdict and findings',
    severity: 'warning',
    theme: 'Tasks',
    fix: 'Answer validate_code with { valid, findings: [{ rule, line, column, severity, message, fix? }] }. Where it knows another language, ask in that: --only validate --tool validate_code code=CODE language=NAME.',
    async run(subject) {
      const { conversation, introduction, probe } = await subject.greet();
      if (!introduction.tools.some(({ name }) => name === METHOD))
        return doesNotApply(`It has no ${METHOD}.`);
      const asked = probe.tool === METHOD ? [probe.args] : samples;
      let refusal: JsonObject = {};
      for (const args of asked) {
        const { message } = await conversation.call({ tool: METHOD, args });
        if (codeOf(message) === undefined)
          return verdict(isVerdict(message['result']), `It answered ${shown(message, 300)}`);
        refusal = message;
      }
      const languages = asked.map(({ language }) => textOf(language)).join(', ');
      return failed(`It refused code in ${languages}, at last with ${shown(refusal, 300)}`);
    },
  },
];

const METHOD = 'validate_code';

/** A few good words of each, in the order in which executors are likely to know them. */
const samples: readonly JsonObject[] = Object.entries({
  javascript: 'let a = 1;\n',
  python: 'a = 1\n',
  typescript: 'let a: number = 1;\n',
  java: 'class A {}\n',
  go: 'package a\n',
  rust: 'fn a() {}\n',
  c: 'int a;\n',
  cpp: 'int a;\n',
  csharp: 'class A {}\n',
  kotlin: 'val a = 1\n',
  swift: 'let a = 1\n',
  ruby: 'a = 1\n',
  php: '<?php $a = 1;\n',
  bash: 'a=1\n',
  sql: 'SELECT 1;\n',
  html: '<p>a</p>\n',
  css: 'a { color: red; }\n',
  json: '{}\n',
  yaml: 'a: 1\n',
  markdown: '# a\n',
}).map(([language, code]) => ({ code, language, rules: [] }));

function isVerdict(result: Json | undefined): boolean {
  if (!isJsonObject(result)) return false;
  const { valid, findings } = result;
  return typeof valid === 'boolean' && isJsonArray(findings) && findings.every(isFinding);
}

function isFinding(finding: Json): boolean {
  if (!isJsonObject(finding)) return false;
  const { rule, severity, message } = finding;
  return (
    typeof rule === 'string' &&
    typeof message === 'string' &&
    (severity === 'error' || severity === 'warning' || severity === 'info')
  );
}
