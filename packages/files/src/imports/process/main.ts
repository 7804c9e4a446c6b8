import { ACCESS_LOG, type ImportFileOptions, InvalidFile, type LogContent } from '@hitherto/domain/files';
import { openFile } from '../open-file.ts';
import { sentLines, sentRows } from './batches.ts';
import type { Batch, OpenedFile, ReadRequest, Response } from './messages.ts';

// The program of the process that reads a file for another one, which may end it at any time.

/** A batch is sent when it has this many rows, or has taken this long: a row can be 300 bytes or 1 MiB. */
const MAX_ROWS = 1_000;
const MAX_MS = 20;

interface Reading {
  readonly opened: OpenedFile;
  /** @param from of a log, the offset from which its lines are read */
  readonly batches: (from: number) => AsyncIterator<Batch>;
  readonly share: () => number;
}

let reading: Reading | undefined;
let batches: AsyncIterator<Batch> | undefined;

async function respond(request: ReadRequest): Promise<Response> {
  if (request.ask === 'open') {
    reading = await open(request.path, request.options);
    return { is: 'opened', opened: reading.opened };
  }
  if (reading === undefined) throw new Error('No file is open.');
  batches ??= reading.batches(request.from);
  const { value: batch, done } = await batches.next();
  const share = reading.share();
  return done === true ? { is: 'end', share } : { is: 'batch', batch, share };
}

async function open(path: string, options: ImportFileOptions): Promise<Reading> {
  const content = await openFile(path, options);
  if (content.format === ACCESS_LOG) return openLog(content);
  const { share } = content;
  if ('sumRows' in content) {
    const { format, dimensions } = content;
    return {
      opened: { content: 'sums', format, dimensions },
      batches: () => mapped(inBatches(content.sumRows()), (rows) => ({ content: 'sums', rows })),
      share,
    };
  }
  return {
    opened: { content: 'hits', format: content.format },
    batches: () => mapped(inBatches(content.rows()), (rows) => ({ content: 'hits', ...sentRows(rows) })),
    share,
  };
}

async function openLog({ name, open: openLines }: LogContent): Promise<Reading> {
  const { files, hasHosts } = await openLines();
  const [file] = files;
  if (file === undefined) throw new Error('The log has no file.');
  return {
    opened: { content: 'lines', name, hasHosts, beginning: file.beginning },
    batches: (from) => mapped(inBatches(file.lines(from)), (lines) => ({ content: 'lines', ...sentLines(lines) })),
    share: file.share,
  };
}

/** Rows in batches, some of them empty: they say that reading goes on. */
async function* inBatches<Row>(pieces: AsyncIterable<Iterable<Row>>): AsyncGenerator<readonly Row[]> {
  let rows: Row[] = [];
  let since = performance.now();
  const isFull = () => rows.length >= MAX_ROWS || performance.now() - since >= MAX_MS;
  for await (const piece of pieces) {
    for (const row of piece) {
      rows.push(row);
      if (!isFull()) continue;
      yield rows;
      [rows, since] = [[], performance.now()];
    }
    if (!isFull()) continue;
    yield rows;
    [rows, since] = [[], performance.now()];
  }
  if (rows.length > 0) yield rows;
}

async function* mapped<From, To>(items: AsyncIterable<From>, to: (item: From) => To): AsyncGenerator<To> {
  for await (const item of items) yield to(item);
}

function errorOf(error: unknown): Response {
  const message = error instanceof Error ? error.message : String(error);
  const isInvalid = error instanceof InvalidFile;
  return { is: 'error', isInvalid, message, text: isInvalid ? error.text : undefined };
}

process.on('message', async (request: ReadRequest) => {
  process.send?.(await respond(request).catch(errorOf));
});
process.on('disconnect', () => process.exit());
// Both are also sent to the process that this one works for, which may still need it.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});
