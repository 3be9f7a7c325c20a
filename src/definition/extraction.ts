// What extractors are asked: which files they take, and what is in one.

export interface FileType {
  readonly mimeType?: string;
  /** With its dot. */
  readonly extension?: string;
}

export interface Support {
  readonly supported: boolean;
  /** From 0 to 1. */
  readonly confidence: number;
  readonly method?: string;
}

export type ExtractSource =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

/** Which files an extractor takes. */
export interface FileTypes {
  /** MIME types. */
  readonly formats: readonly string[];
  /** Each with its dot. */
  readonly extensions: readonly string[];
}
