import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { portError, spoilsConnection } from './errors.ts';
import type { Query, QueryResult } from './statement.ts';

/** The statements of one transaction, run one after the other. */
export interface Transaction {
  query<Row>(query: Query & { readonly row?: Row }): Promise<QueryResult<Row>>;

  /**
   * Writes rows with a `COPY … FROM STDIN`, and resolves to their number.
   *
   * @param text the statement, which names the format of the rows
   */
  copy(text: string, rows: Iterable<Buffer | string> | AsyncIterable<Buffer | string>): Promise<number>;

  /**
   * Yields the output of a `COPY … TO STDOUT`, in pieces of any size. It has to be read to its end before the next statement.
   *
   * @param text the statement
   */
  copyOut(text: string): AsyncIterable<Buffer>;
}

export interface TransactionOptions {
  /** Reads only, and all statements see the database as it was at one moment. */
  readonly snapshot?: boolean;
}

/** A transaction that must be ended with `commit` or `rollback`. */
export interface OpenTransaction extends Transaction {
  commit(): Promise<void>;
  /** Never rejects: a connection that cannot roll back is closed, which undoes its changes. */
  rollback(): Promise<void>;
}

/**
 * Begins a transaction on the connection, which is released when the transaction ends. It starts with the first statement: in
 * the same round trip, if this has no parameters.
 */
export function begin(client: pg.PoolClient, { snapshot = false }: TransactionOptions = {}): OpenTransaction {
  const mode = snapshot ? 'isolation level repeatable read, read only' : 'read write';
  let start: string | undefined = `start transaction ${mode}`;
  let isSpoilt = false;
  const attempt = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      isSpoilt ||= spoilsConnection(error);
      throw portError(error);
    }
  };
  const begun = async () => {
    const text = start;
    start = undefined;
    if (text !== undefined) await client.query(text);
  };
  const run = <Row>(query: Query): Promise<QueryResult<Row>> =>
    attempt(async () => {
      const isSimple = query.name === undefined && query.values.length === 0;
      const text = start !== undefined && isSimple ? `${start}; ${query.text}` : query.text;
      if (isSimple) start = undefined;
      await begun();
      const result = await client.query<Row & pg.QueryResultRow>({ ...query, text });
      // Two statements have two results.
      const last = [result].flat().at(-1);
      return { rows: last?.rows ?? [], count: last?.rowCount ?? 0 };
    });
  const end = async (text: 'commit' | 'rollback') => {
    try {
      const { command } = await attempt(() => client.query(text));
      // After a failed statement PostgreSQL rolls back, even on COMMIT.
      if (command.toLowerCase() !== text)
        throw new Error('The transaction was rolled back: a statement in it had failed.');
    } finally {
      client.release(isSpoilt);
    }
  };

  return {
    query: run,
    copy: (text, rows) =>
      attempt(async () => {
        await begun();
        const stream = client.query(copyFrom(text));
        await pipeline(Readable.from(rows), stream);
        return stream.rowCount;
      }),
    async *copyOut(text) {
      await attempt(begun);
      let isDone = false;
      // The driver puts a callback of its own there, which ends its timeout; without the call, the timer runs on.
      const stream = Object.assign(copyTo(text), { callback: () => {} });
      try {
        for await (const piece of client.query(stream)) yield piece;
        isDone = true;
      } catch (error) {
        throw portError(error);
      } finally {
        stream.callback();
        // Unread rows would be read as the result of the next statement.
        isSpoilt ||= !isDone;
      }
    },
    commit: () => end('commit'),
    rollback: () => end('rollback').catch(() => {}),
  };
}
