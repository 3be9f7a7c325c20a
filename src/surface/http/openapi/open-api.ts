export function openApi(version: string): unknown {
  return { openapi: '3.1.0', info: { title: 'x', version } };
}
