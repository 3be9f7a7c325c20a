// Markdown as elements of this page; never as HTML.
import type { ComponentChild } from 'preact';
import type { Inline } from '../lib/markdown-inline.ts';
import { visible } from '../lib/visible.ts';
import { markdownOf, type Block } from '../lib/markdown.ts';

export function MarkdownView({ text }: { readonly text: string }) {
  return <div class="markdown">{blocks(markdownOf(visible(text)))}</div>;
}

function blocks(list: readonly Block[]): ComponentChild[] {
  return list.map((block, index) => <BlockView key={index} block={block} />);
}

function BlockView({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case 'heading': {
      // The headings of the page itself come first.
      const Heading = block.level <= 1 ? 'h3' : 'h4';
      return <Heading>{inlines(block.inlines)}</Heading>;
    }
    case 'paragraph':
      return <p>{inlines(block.inlines)}</p>;
    case 'code':
      return (
        <pre>
          <code>{block.text}</code>
        </pre>
      );
    case 'quote':
      return <blockquote>{blocks(block.blocks)}</blockquote>;
    case 'list': {
      const items = block.items.map((item, index) => (
        <li key={index}>
          {item.length === 1 && item[0]?.kind === 'paragraph' ? inlines(item[0].inlines) : blocks(item)}
        </li>
      ));
      return block.isOrdered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>;
    }
    case 'table':
      return (
        <div class="wide">
          <table>
            <thead>
              <tr>
                {block.head.map((cell, index) => (
                  <th key={index}>{inlines(cell)}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, index) => (
                <tr key={index}>
                  {row.map((cell, place) => (
                    <td key={place}>{inlines(cell)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    case 'rule':
      return <hr />;
  }
}

function inlines(list: readonly Inline[]): ComponentChild[] {
  return list.map((inline, index) => {
    switch (inline.kind) {
      case 'text':
        return inline.text;
      case 'code':
        return <code key={index}>{inline.text}</code>;
      case 'strong':
        return <strong key={index}>{inlines(inline.inlines)}</strong>;
      case 'emphasis':
        return <em key={index}>{inlines(inline.inlines)}</em>;
      case 'struck':
        return <s key={index}>{inlines(inline.inlines)}</s>;
      case 'break':
        return <br key={index} />;
      case 'link':
        return (
          <a
            key={index}
            href={inline.address}
            target="_blank"
            rel="noopener noreferrer nofollow"
            title={inline.address}
          >
            {inlines(inline.inlines)}
          </a>
        );
    }
  });
}
