// How clients of MCP are told of a running `up`: lines to copy, each in the words of its client.

export interface ClientLine {
  readonly client: string;
  /** Where it goes, unless into a shell. */
  readonly into?: string;
  readonly line: string;
}

/** `url` is that of the MCP endpoint. */
export function clientLines(url: string, token: string): readonly ClientLine[] {
  const header = `Authorization: Bearer ${token}`;
  const headers = { Authorization: `Bearer ${token}` };
  return [
    { client: 'Claude Code', line: `claude mcp add --transport http pluglot ${url} --header "${header}"` },
    { client: 'Gemini CLI', line: `gemini mcp add --transport http --header "${header}" pluglot ${url}` },
    {
      client: 'VS Code',
      line: `code --add-mcp '${JSON.stringify({ name: 'pluglot', type: 'http', url, headers })}'`,
    },
    {
      client: 'Cursor',
      into: '~/.cursor/mcp.json',
      line: JSON.stringify({ mcpServers: { pluglot: { url, headers } } }),
    },
  ];
}
