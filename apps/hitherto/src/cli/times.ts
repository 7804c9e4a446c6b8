import { isDay } from '@hitherto/domain/calendar';
import { InvalidArgumentError } from 'commander';

/** Reads the time of `--at`, which has its offset. */
export function parseTime(text: string): Date {
  const time = new Date(text);
  if (
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/.test(text) &&
    // `Date` reads 30 February as 2 March.
    isDay(text.slice(0, 'YYYY-MM-DD'.length)) &&
    !Number.isNaN(time.getTime())
  ) {
    return time;
  }
  throw new InvalidArgumentError('A time must be written with its offset, such as 2026-11-23T09:00:00Z.');
}

/**
 * The clock of a command that does what is due: it stands at the time of `--at`, if that is given. Throws if that is in the
 * future, with what would go wrong then.
 */
export function clockOf(at: Date | undefined, now: () => Date, wrong: string): () => Date {
  if (at === undefined) return now;
  if (at > now()) throw new Error(`The time of --at is in the future. ${wrong}`);
  return () => at;
}

/** Reads the day of an option. */
export function parseDay(text: string): string {
  if (isDay(text)) return text;
  throw new InvalidArgumentError('A day must be written as 2026-11-01.');
}
