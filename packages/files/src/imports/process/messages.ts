import type { StoredText } from '@hitherto/domain/base';
import type { ImportFileOptions, LogContent, RowContent, SumContent, SumRow } from '@hitherto/domain/imports';
import type { SentLines, SentRows } from './batches.ts';

// The messages between this process and the one that reads a file. Each request gets one response.

/** `open` comes first; `next` asks for the first batch too. */
export type ReadRequest =
  | { readonly ask: 'open'; readonly path: string; readonly options: ImportFileOptions }
  | {
      readonly ask: 'next';
      /** Of a log, the offset from which its lines are read; it counts in the first of these requests. */
      readonly from: number;
    };

export type Response =
  | { readonly is: 'opened'; readonly opened: OpenedFile }
  | { readonly is: 'batch'; readonly batch: Batch; readonly share: number }
  | { readonly is: 'end'; readonly share: number }
  /** `isInvalid` says that the file is at fault; `text` is the message then. */
  | {
      readonly is: 'error';
      readonly isInvalid: boolean;
      readonly message: string;
      readonly text: StoredText | undefined;
    };

/** A file whose format is known. */
export type OpenedFile =
  | { readonly content: 'hits'; readonly format: RowContent['format'] }
  | { readonly content: 'sums'; readonly format: SumContent['format']; readonly dimensions: SumContent['dimensions'] }
  | {
      readonly content: 'lines';
      readonly name: LogContent['name'];
      readonly hasHosts: boolean;
      readonly beginning: Uint8Array;
    };

/** Some rows of the file. */
export type Batch =
  | ({ readonly content: 'hits' } & SentRows)
  | { readonly content: 'sums'; readonly rows: readonly SumRow[] }
  | ({ readonly content: 'lines' } & SentLines);
