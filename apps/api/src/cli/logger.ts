import { pino } from 'pino';
import pretty from 'pino-pretty';

/** The logger of the service: JSON lines on standard output, or lines for people where that is a terminal. */
export function createLogger(level: string) {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return process.stdout.isTTY ? pino(options, pretty({ sync: true, ignore: 'pid,hostname' })) : pino(options);
}
