import { pino } from 'pino';
import pretty from 'pino-pretty';

/** Lines are gathered up to so many bytes, and for so many milliseconds at most: then they are written in one go. */
const GATHERED_BYTES = 8_192;
const GATHERED_MS = 100;

/**
 * The logger of the service: JSON lines on standard output, or lines for people where that is a terminal. What is gathered
 * is written when the process ends, by an error too, and before a fatal line; only a SIGKILL or the loss of the machine
 * can lose the lines of the last 100 ms. A reader that stops reading holds up the service rather than lose lines.
 */
export function createLogger(level: string) {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  if (process.stdout.isTTY) return pino(options, pretty({ sync: true, ignore: 'pid,hostname' }));
  const destination = pino.destination({ dest: 1, sync: true, minLength: GATHERED_BYTES, periodicFlush: GATHERED_MS });
  process.on('exit', () => {
    try {
      destination.flushSync();
    } catch {
      // Whoever read the log has gone.
    }
  });
  return pino(options, destination);
}
