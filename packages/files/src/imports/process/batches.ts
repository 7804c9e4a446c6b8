import { type ImportRow, type LogLine, NO_REQUEST, type RowHit, shortenedRequest } from '@hitherto/domain/files';
import { itemsOf, type Table, tableOf } from './table.ts';

/** Rows of hits as they are sent. */
export interface SentRows {
  readonly hits: Table<RowHit>;
  readonly stated: Table<NonNullable<ImportRow['stated']>>;
  /** Their other fields. */
  readonly rows: Table<ImportRow>;
}

export function sentRows(rows: readonly ImportRow[]): SentRows {
  return {
    hits: tableOf(rows.map(({ hit }) => hit)),
    stated: tableOf(rows.map(({ stated }) => stated)),
    rows: tableOf(rows).filter(([field]) => field !== 'hit' && field !== 'stated'),
  };
}

export function receivedRows({ hits, stated, rows }: SentRows): readonly ImportRow[] {
  return itemsOf([...rows, ['hit', itemsOf(hits)], ['stated', itemsOf(stated)]]);
}

/** Lines of a log as they are sent: without their texts, which nobody is shown. */
export interface SentLines {
  readonly ends: readonly number[];
  readonly requests: Table<Request>;
  /** Of lines that are no requests. */
  readonly others: readonly (typeof NO_REQUEST | undefined)[];
}

type Request = Exclude<LogLine['read'], typeof NO_REQUEST | undefined>;

/** Judges the lines as well: most requests of a log are for no pages, and little of them is needed. */
export function sentLines(lines: readonly LogLine[]): SentLines {
  return {
    ends: lines.map(({ end }) => end),
    requests: tableOf(lines.map(({ read }) => (read === NO_REQUEST ? undefined : read && shortenedRequest(read)))),
    others: lines.map(({ read }) => (read === NO_REQUEST ? read : undefined)),
  };
}

export function receivedLines({ ends, requests, others }: SentLines): readonly LogLine[] {
  const reads = itemsOf(requests);
  return ends.map((end, at) => ({ text: '', end, read: reads[at] ?? others[at] }));
}
