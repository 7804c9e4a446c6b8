/**
 * The parts of a backup, in this order: the start, each table followed by its rows, and the end. The program stores and
 * checks them; only the database that made a backup knows its tables and rows.
 */
export type BackupPart = BackupStart | BackupTable | BackupRows | BackupEnd;

/** The first part. */
export interface BackupStart {
  readonly type: 'start';
  /** The migrations that the schema consists of, in order. */
  readonly migrations: readonly string[];
  /** About how many rows there are. */
  readonly rows: number;
}

/** A table, whose rows follow. */
export interface BackupTable {
  readonly type: 'table';
  readonly name: string;
  readonly columns: readonly string[];
  /** If it is the partition of a month: the partitioned table, and the month's first day. */
  readonly partition: { readonly of: string; readonly from: string } | null;
}

/** A piece of the rows of the last table, of any size; each row ends with a line feed, and has no other. */
export interface BackupRows {
  readonly type: 'rows';
  readonly bytes: Uint8Array;
}

/** The last part: without it, a backup is incomplete. */
export interface BackupEnd {
  readonly type: 'end';
  /** The last number that each column has generated, as a decimal string. */
  readonly sequences: readonly { readonly table: string; readonly column: string; readonly last: string }[];
}
