// A call as a line to paste elsewhere. Names and values of others are quoted, so that whoever pastes it runs nothing else.
import type { JsonObject } from '../../../../base/json.ts';
import { shellWord } from '../../../../base/shell-word.ts';

/** `pluglot call weather '{"city":"Oslo"}'` */
export function asCommandLine(tool: string, args: JsonObject): string {
  const words = ['pluglot', 'call', tool];
  return [...words, ...(Object.keys(args).length === 0 ? [] : [JSON.stringify(args)])]
    .map(shellWord)
    .join(' ');
}

/** The token stays in the environment of whoever runs it. */
export function asCurl(origin: string, tool: string, args: JsonObject): string {
  return [
    `curl -sS -X POST ${shellWord(`${origin}/api/v1/tools/${encodeURIComponent(tool)}/call`)}`,
    `-H "Authorization: Bearer $PLUGLOT_TOKEN"`,
    `-H 'content-type: application/json'`,
    // Not --data: that would read a file where the text begins with an @.
    `--data-raw ${shellWord(JSON.stringify({ args }))}`,
  ].join(' \\\n  ');
}

export function asTypeScript(origin: string, tool: string, args: JsonObject): string {
  return [
    `import { connectRuntime } from 'pluglot';`,
    ``,
    `const runtime = await connectRuntime(${literal(origin)}, process.env.PLUGLOT_TOKEN ?? '');`,
    `const outcome = await runtime.call(${literal(tool)}, ${literal(args)});`,
    `console.log(outcome.ok ? (outcome.text ?? outcome.data) : outcome.error.message);`,
    `await runtime.close();`,
    ``,
  ].join('\n');
}

/** JSON is TypeScript, once `__proto__` is a key and not the prototype. */
function literal(value: JsonObject | string): string {
  return JSON.stringify(value, undefined, typeof value === 'string' ? undefined : 2).replaceAll(
    /"__proto__"(?=:)/g,
    '["__proto__"]',
  );
}
