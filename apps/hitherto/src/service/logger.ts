import { pino } from 'pino';
import pretty from 'pino-pretty';

/** Buffers up to 4 KiB or 100 ms. A pipe takes so much in one piece, so the lines of several processes do not mix. */
const PIPE_BYTES = 4_096;
const BUFFERED_MS = 100;

/**
 * The logger of the service: JSON lines on standard output, or readable lines where that is a terminal. The buffer is flushed
 * when the process ends, even by an error, and before a fatal line; only a SIGKILL or a crash of the machine can lose the
 * last 100 ms. A reader that stops reading blocks the service, so no line is lost.
 *
 * @param worker the number of this process, if several serve
 */
export function createLogger(level: string, worker?: number) {
  const base = worker === undefined ? null : { worker };
  const options = { level, base, timestamp: pino.stdTimeFunctions.isoTime };
  if (process.stdout.isTTY) return pino(options, pretty({ sync: true, ignore: 'pid,hostname' }));
  const destination = pino.destination({ dest: 1, sync: true, minLength: PIPE_BYTES - 1, maxWrite: PIPE_BYTES });
  process.on('exit', () => {
    try {
      destination.flushSync();
    } catch {
      // The reader of the log has gone.
    }
  });
  let isDue = false;
  // Not flushSync: it tries again for ever if the reader of the log has gone.
  const flush = () => {
    isDue = false;
    destination.flush();
  };
  const buffered = {
    write(line: string) {
      destination.write(line);
      // A flush at regular times would wake a process that has nothing to log.
      if (!isDue) setTimeout(flush, BUFFERED_MS).unref();
      isDue = true;
    },
    flushSync: () => destination.flushSync(),
  };
  return pino(options, buffered);
}
