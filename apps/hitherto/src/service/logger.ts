import { pino } from 'pino';
import pretty from 'pino-pretty';

/** Buffers up to 8 KiB or 100 ms. */
const BUFFERED_BYTES = 8_192;
const BUFFERED_MS = 100;

/**
 * The logger of the service: JSON lines on standard output, or readable lines where that is a terminal. The buffer is flushed
 * when the process ends, even by an error, and before a fatal line; only a SIGKILL or a crash of the machine can lose the
 * last 100 ms. A reader that stops reading blocks the service, so no line is lost.
 */
export function createLogger(level: string) {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  if (process.stdout.isTTY) return pino(options, pretty({ sync: true, ignore: 'pid,hostname' }));
  const destination = pino.destination({ dest: 1, sync: true, minLength: BUFFERED_BYTES, periodicFlush: BUFFERED_MS });
  process.on('exit', () => {
    try {
      destination.flushSync();
    } catch {
      // The reader of the log has gone.
    }
  });
  return pino(options, destination);
}
