import { storedText } from '@hitherto/domain/base';
import { ACCESS_LOG, type ImportContent, type ImportFiles, InvalidFile } from '@hitherto/domain/imports';
import { receivedLines, receivedRows } from './batches.ts';
import type { Batch, OpenedFile } from './messages.ts';
import { type ReadingLimits, startReading } from './reading-process.ts';

/**
 * The limits of an import: several times what an export takes that is within the limits of its format. A preview, which ends
 * after 10 seconds, says so too.
 */
const LIMITS: ReadingLimits = { memory: 256, silence: 8_000 };

/** Reads files that other products or `statistics export` have written, each in a process of its own. */
export function createImportFiles(limits = LIMITS): ImportFiles {
  return {
    async open(path, options) {
      let reading = await startReading(path, options, limits);
      const { opened } = reading;

      async function* read(from = 0): AsyncGenerator<Batch> {
        if (!reading.isReady()) reading = await startReading(path, options, limits);
        yield* reading.read(from);
      }

      return sourceOf(
        opened,
        read,
        () => reading.share(),
        () => reading.end(),
      );
    },
  };
}

function sourceOf(
  opened: OpenedFile,
  read: (from?: number) => AsyncGenerator<Batch>,
  share: () => number,
  end: () => void,
): ImportContent {
  switch (opened.content) {
    case 'hits':
      return {
        format: opened.format,
        share,
        async *rows() {
          for await (const batch of read()) {
            if (batch.content !== 'hits') throw changed();
            yield receivedRows(batch);
          }
        },
      };
    case 'sums':
      return {
        format: opened.format,
        dimensions: opened.dimensions,
        share,
        async *sumRows() {
          for await (const batch of read()) {
            if (batch.content !== 'sums') throw changed();
            yield batch.rows;
          }
        },
      };
    case 'lines': {
      const { name, hasHosts, beginning } = opened;
      async function* lines(from: number) {
        for await (const batch of read(from)) {
          if (batch.content !== 'lines') throw changed();
          yield receivedLines(batch);
        }
      }
      return {
        format: ACCESS_LOG,
        name,
        open: async () => ({
          files: [{ path: '', beginning, size: undefined, lines, share, isUnfinished: () => false }],
          hasHosts,
          close: async () => end(),
        }),
      };
    }
  }
}

function changed(): InvalidFile {
  return new InvalidFile(storedText('changed'));
}
