import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { standalone } from '../base/remembered.ts';
import type { Day } from '../calendar/days.ts';
import { dayOf, endOfDay, startOfDay } from '../calendar/time-zone.ts';
import { type CountingSettings, countHit } from '../hits/count-hit.ts';
import type { HitLookups } from '../hits/hit.ts';
import { hitOf, judgeRequest } from '../imports/logs/judge-request.ts';
import type { OpenLogs } from '../imports/logs/log-files.ts';
import { NO_REQUEST } from '../imports/logs/log-request.ts';

/** The pageviews of a page, or of all, in logs. */
export interface LogPage {
  log: number;
  /** Hashes of the first visitors, at most {@link ENOUGH_VISITORS}. They live as long as the reading. */
  readonly visitors: number[];
  firstSeen: Day;
  readonly browsers: Map<string | null, number>;
}

/** The pageviews of logs, by day and page. */
export interface LogPages {
  readonly days: ReadonlyMap<Day, ReadonlyMap<string, LogPage>>;
  /** All lines, those that were judged to be a pageview, and requests of bots. */
  readonly lines: number;
  readonly judged: number;
  readonly bots: number;
}

/** A page needs this many visitors to be missing. */
export const ENOUGH_VISITORS = 3;
/** The most pages of all days together, to bound memory. Others do not count. */
const MAX_PAGES = 200_000;
const HOUR_MS = 60 * 60 * 1_000;

export interface ReadLogPagesDependencies {
  readonly lookups: HitLookups;
  readonly settings: CountingSettings;
  /** The website's. */
  readonly url: string;
  /** Whether a day counts. */
  readonly isWanted: (day: Day) => boolean;
}

/** Judges the lines of logs as `logs import` does, and adds their pageviews up. Stores nothing. */
export async function readLogPages(
  { lookups, settings, url, isWanted }: ReadLogPagesDependencies,
  logs: readonly OpenLogs[],
  onLines: (lines: number) => void,
  signal: AbortSignal,
): Promise<LogPages> {
  const days = new Map<Day, Map<string, LogPage>>();
  const counts = { lines: 0, judged: 0, bots: 0 };
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  let pages = 0;
  for (const file of logs.flatMap((log) => log.files)) {
    for await (const lines of file.lines(0)) {
      signal.throwIfAborted();
      for (const { read } of lines) {
        counts.lines += 1;
        if (read === undefined || read === NO_REQUEST || 'reason' in read) continue;
        const time = read.time.getTime();
        first = Math.min(first, time);
        last = Math.max(last, time);
        const day = dayOf(settings.zone, read.time);
        if (!isWanted(day)) continue;
        if (judgeRequest(read) !== undefined) continue;
        const { drop, details } = countHit(settings, hitOf(read, url), lookups);
        if (drop?.reason === 'bot') counts.bots += 1;
        if (details === undefined) continue;
        counts.judged += 1;
        const ofDay = days.get(day) ?? new Map<string, LogPage>();
        days.set(day, ofDay);
        let page = ofDay.get(details.page);
        if (page === undefined) {
          if (pages >= MAX_PAGES) continue;
          pages += 1;
          page = { log: 0, visitors: [], firstSeen: day, browsers: new Map() };
          // A part of a line would keep the whole piece of the file in memory.
          ofDay.set(standalone(details.page), page);
        }
        page.log += 1;
        page.browsers.set(details.browser, (page.browsers.get(details.browser) ?? 0) + 1);
        if (page.visitors.length < ENOUGH_VISITORS) addVisitor(page, visitorOf(read.ip, read.userAgent));
      }
      onLines(counts.lines);
      await nextTurn();
    }
  }
  const whole = [...days].filter(([day]) => {
    const [start, end] = [startOfDay(settings.zone, day).getTime(), endOfDay(settings.zone, day).getTime()];
    return first <= start + HOUR_MS && last >= end - HOUR_MS;
  });
  // The log of a part of a day is better than none.
  return { days: new Map(whole.length === 0 ? days : whole), ...counts };
}

function visitorOf(ip = '', userAgent = ''): number {
  return createHash('sha1').update(`${ip}\n${userAgent}`).digest().readUInt32BE();
}

/** Adds a visitor to the first ones of a page. */
export function addVisitor({ visitors }: Pick<LogPage, 'visitors'>, visitor: number): void {
  if (visitors.length < ENOUGH_VISITORS && !visitors.includes(visitor)) visitors.push(visitor);
}
