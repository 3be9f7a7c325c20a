// Whose was a body that was too large to be read? Its first bytes tell, where it begins as most ends write it.

const HEAD = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,\s*"(method|result|error)"/;

export function idOfHead(head: string): { readonly id: number | undefined; readonly isRequest: boolean } {
  const match = HEAD.exec(head);
  return { id: match?.[1] === undefined ? undefined : Number(match[1]), isRequest: match?.[2] === 'method' };
}
