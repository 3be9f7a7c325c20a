// Markdown as elements of this page: the lexer's tokens become nodes, and HTML in the text stays text.
// Loaded when first used, since the lexer is a fifth of the page.
import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import type { ComponentChild } from 'preact';

const MARKDOWN_MAX = 200_000;
/** The lexer takes quadratic time on some paragraphs; longer ones are shown as plain text. */
const INLINE_MAX = 10_000;
const DEPTH_MAX = 8;
const COLUMNS_MAX = 50;

export function markdownNodes(text: string): ComponentChild[] {
  return nodes(lexed(text.slice(0, MARKDOWN_MAX)), 0);
}

function lexed(text: string): readonly Token[] {
  const plain: Token[] = [{ type: 'code', raw: text, text }];
  if (NESTED_TOO_DEEPLY.test(text)) return plain;
  try {
    const lexer = new Lexer({ gfm: true, breaks: true });
    lexer.blockTokens(text.replaceAll('\r\n', '\n'), lexer.tokens);
    for (const { src, tokens } of lexer.inlineQueue)
      if (src.length > INLINE_MAX) tokens.push({ type: 'text', raw: src, text: src });
      else lexer.inlineTokens(src, tokens);
    return lexer.tokens;
  } catch {
    // The lexer is recursive, and deep nesting exhausts the stack.
    return plain;
  }
}

/** Sixteen markers of quotes or list items at the start of one line. */
const NESTED_TOO_DEEPLY = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){16}/m;

function nodes(tokens: readonly Token[] | undefined, depth: number): ComponentChild[] {
  return (tokens ?? []).map((token, index) => <Node key={index} token={token} depth={depth} />);
}

function Node({ token: generic, depth }: { readonly token: Token; readonly depth: number }) {
  if (depth > DEPTH_MAX) return <>{generic.raw}</>;
  // Without extensions the lexer makes no other tokens; `Generic` stands for those.
  const token = generic as MarkedToken;
  const inner = 'tokens' in token ? nodes(token.tokens, depth + 1) : [];
  switch (token.type) {
    case 'heading':
      // h1 and h2 are headings of the page.
      return token.depth <= 1 ? <h3>{inner}</h3> : <h4>{inner}</h4>;
    case 'paragraph':
      return <p>{inner}</p>;
    case 'code':
      return (
        <pre>
          <code>{token.text}</code>
        </pre>
      );
    case 'blockquote':
      return <blockquote>{inner}</blockquote>;
    case 'list':
      return <List list={token} depth={depth} />;
    case 'table':
      return <Table table={token} depth={depth} />;
    case 'hr':
      return <hr />;
    case 'br':
      return <br />;
    case 'strong':
      return <strong>{inner}</strong>;
    case 'em':
      return <em>{inner}</em>;
    case 'del':
      return <s>{inner}</s>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'link':
      return <Link address={token.href}>{inner}</Link>;
    case 'image':
      // Never loaded: the alternative text links to it.
      return <Link address={token.href}>{token.text}</Link>;
    case 'checkbox':
      return <>{token.checked ? '☑ ' : '☐ '}</>;
    case 'text':
      return <>{inner.length > 0 ? inner : token.text}</>;
    case 'html':
      return token.block ? <p>{token.text}</p> : <>{token.text}</>;
    case 'escape':
      return <>{token.text}</>;
    case 'space':
    case 'def':
      return null;
    default:
      return <>{generic.raw}</>;
  }
}

function List({ list, depth }: { readonly list: Tokens.List; readonly depth: number }) {
  const items = list.items.map(({ tokens }, index) => {
    const [only, ...others] = tokens;
    const isShort = only?.type === 'paragraph' && others.length === 0;
    return <li key={index}>{nodes(isShort ? only.tokens : tokens, depth + 1)}</li>;
  });
  return list.ordered ? <ol start={Number(list.start)}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table, depth }: { readonly table: Tokens.Table; readonly depth: number }) {
  const cells = (row: readonly Tokens.TableCell[], Cell: 'th' | 'td') =>
    row.slice(0, COLUMNS_MAX).map(({ tokens }, index) => <Cell key={index}>{nodes(tokens, depth + 1)}</Cell>);
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>{cells(table.header, 'th')}</tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>{cells(row, 'td')}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Only web and mail addresses become links; other ones could run code or reach this page's origin. */
function Link({ address, children }: { readonly address: string; readonly children?: ComponentChild }) {
  if (!/^(https?:\/\/|mailto:)[^\s]+$/i.test(address)) return <em>{children}</em>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow" title={address}>
      {children}
    </a>
  );
}
