import { setImmediate as nextTurn } from 'node:timers/promises';
import { untilAvailable } from '../../base/outage.ts';
import { inEnglish, type StoredText, storedText } from '../../base/stored-text.ts';
import { addDays, type Day } from '../../calendar/days.ts';
import { dayOf, lastDayOnEarth } from '../../calendar/time-zone.ts';
import { type CountingSettings, countHit } from '../../hits/count-hit.ts';
import type { CrawlerHits } from '../../hits/crawlers.ts';
import type { CountedHit, Hit, HitLookups } from '../../hits/hit.ts';
import type { DroppedHits } from '../../hits/hit-repository.ts';
import { type Visitors, visitorsUnder } from '../../hits/visitors.ts';
import type { SkipReason } from '../import.ts';
import { findLogPlace } from './find-place.ts';
import { hitOf, judgeRequest, type LeftOutRequest } from './judge-request.ts';
import type { LogLine, OpenLogs } from './log-files.ts';
import { createLogCursor, type LogCursor } from './log-place.ts';
import { type LogRequest, NO_REQUEST } from './log-request.ts';
import type { LogCheckpoint, LogRepository } from './logs.ts';

/** Why a line of a log does not count (imports.md, "Access logs"). */
export type LineReason = SkipReason | 'unknown_host' | 'too_old' | 'imported';

/** The result of a reading. */
export interface LogSummary {
  /** Lines that were read for the first time. */
  lines: number;
  /** Hits that count. */
  hits: number;
  /** Lines that had been read before. */
  readBefore: number;
  /** Lines that do not count, by reason. */
  readonly left: Map<LineReason, LeftLines>;
  /** The first two addresses of hits that count. */
  readonly addresses: Set<string>;
  /** The files whose last line has no end, and is not read yet. */
  readonly unfinished: Set<string>;
}

/** Lines that do not count for one reason. */
export interface LeftLines {
  lines: number;
  /** Where the first one is. */
  readonly place: StoredText;
  /** The first three, with their places. They may identify people, so they are only shown. */
  readonly examples: string[];
}

/** The summary of a reading that has not begun. */
export const newLogSummary = (): LogSummary => ({
  lines: 0,
  hits: 0,
  readBefore: 0,
  left: new Map(),
  addresses: new Set(),
  unfinished: new Set(),
});

/** A website that a log has lines of. */
export interface LogWebsite {
  readonly url: string;
  readonly settings: CountingSettings;
  /** Its lines are added here. */
  readonly summary: LogSummary;
  /** Why lines of this day are left out, if they are. */
  readonly leaveOut: (day: Day) => LineReason | undefined;
  /** Where its hits go, and how far its logs have been read. */
  readonly logs: Pick<LogRepository, 'checkpoint' | 'checkpoints' | 'add'>;
}

/** A log that is read. */
export interface LogToRead extends Pick<OpenLogs, 'files'> {
  readonly name: string;
  /** How far all of it has been read, whatever the website; earlier lines are not looked at. */
  readonly from: LogCheckpoint | undefined;
}

export interface LogDependencies {
  readonly lookups: HitLookups;
  readonly visitors: Pick<Visitors, 'of'>;
  /** The website of a line by its host, if it names one. */
  readonly find: (host: string | undefined) => LogWebsite | undefined | Promise<LogWebsite | undefined>;
  /** Gets the lines without a website. */
  readonly summary: LogSummary;
  readonly now: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Another process has read the same log for the same website in the meantime. */
export class LogConflict extends Error {
  override readonly name = 'LogConflict';

  constructor(log: string) {
    super(
      `The log ${log} is being read for this website by another process, or the website is gone. Stop one of them.`,
    );
  }
}

/** How many lines of a website are read before its additions are stored, and how many in all before those of all websites. */
const BATCH = { website: 4_000, all: 20_000 };
/** How long a batch waits for the database, in milliseconds. */
const DATABASE_WAIT_MS = 60_000;
const SECRET_BYTES = 32;
const EXAMPLES = { lines: 3, length: 300 };
const MAX_AHEAD_MS = 5 * 60_000;
/** The salts of earlier days may be gone. */
const SALTED_DAYS = 2;

/** The additions of lines to a website that are not stored yet. */
interface Reading {
  readonly website: LogWebsite;
  /** The name under which the website has the place of the log. */
  readonly name: string;
  readonly cursor: LogCursor;
  readonly secret: string;
  stored: LogCheckpoint | undefined;
  hits: CountedHit[];
  dropped: DroppedHits[];
  crawled: CrawlerHits[];
  lines: number;
  /** The visitor of a hit on an earlier day. */
  readonly visitorOn: ReturnType<typeof visitorsUnder>;
}

/**
 * Reads a log once, and adds its new lines to their websites: each line once, however often the log is read, and wherever a
 * reading is killed.
 *
 * @returns how far the log has been read
 * @throws LogConflict if another process reads it too
 */
export async function readLog(
  deps: LogDependencies,
  log: LogToRead,
  signal: AbortSignal,
): Promise<LogCheckpoint | undefined> {
  const { files } = log;
  const whole = createLogCursor(log.from, files);
  const readings = new Map<string, Reading>();
  let unstored = 0;

  for (const [index, file] of files.entries()) {
    whole.enter();
    for (const { cursor } of readings.values()) cursor.enter();
    const start = whole.startOf(index);
    if (start === undefined) continue;
    let number = 0;
    for await (const lines of file.lines(start)) {
      for (const { text, end, read } of lines) {
        const request = read === undefined || read === NO_REQUEST ? undefined : read;
        whole.judge(end, request?.time);
        number += 1;
        const found = deps.find(request?.host);
        const website = found instanceof Promise ? await found : found;
        if (website === undefined) {
          deps.summary.lines += 1;
          const reason = request === undefined ? reasonOf(read) : 'unknown_host';
          leave(deps.summary, reason, text, () => placeOf(file.path, start, number, end));
          continue;
        }
        const { summary } = website;
        const reading = readings.get(website.settings.websiteId) ?? (await begin(deps, log, website, index));
        readings.set(website.settings.websiteId, reading);
        const judged = reading.cursor.judge(end, request?.time);
        if (judged === 'read') {
          summary.readBefore += 1;
          continue;
        }
        summary.lines += 1;
        let reason: LineReason | undefined;
        if (judged === 'earlier') reason = judged;
        else if (request === undefined) reason = reasonOf(read);
        else {
          const counted = count(deps, reading, request);
          reason = counted instanceof Promise ? await counted : counted;
        }
        if (reason !== undefined) leave(summary, reason, text, () => placeOf(file.path, start, number, end));
        reading.lines += 1;
        unstored += 1;
        if (reading.lines < BATCH.website && unstored < BATCH.all) continue;
        for (const full of unstored < BATCH.all ? [reading] : readings.values()) {
          unstored -= full.lines;
          await store(full, false);
        }
      }
      signal.throwIfAborted();
      await nextTurn();
    }
    if (file.isUnfinished()) deps.summary.unfinished.add(file.path);
    else deps.summary.unfinished.delete(file.path);
  }
  for (const reading of readings.values()) await store(reading, true);
  return whole.checkpoint(true);
}

function placeOf(path: string, start: number, line: number, end: number): StoredText {
  const place = start === 0 ? storedText('line', line) : storedText('byte', end);
  return path === '' ? place : storedText('inFile', path, place);
}

function addHit(summary: LogSummary, ip: string | undefined): void {
  summary.hits += 1;
  if (summary.addresses.size < 2) summary.addresses.add(ip ?? '');
}

/** Counts a line that does not count, and keeps the first ones of each reason. */
function leave(summary: LogSummary, reason: LineReason, text: string, place: () => StoredText): void {
  const known = summary.left.get(reason);
  if (known === undefined) {
    summary.left.set(reason, { lines: 1, place: place(), examples: [exampleOf(place(), text)] });
    return;
  }
  known.lines += 1;
  if (known.examples.length < EXAMPLES.lines) known.examples.push(exampleOf(place(), text));
}

function exampleOf(place: StoredText, text: string): string {
  return `${inEnglish(place)}: ${text}`.slice(0, EXAMPLES.length);
}

async function begin(deps: LogDependencies, log: LogToRead, website: LogWebsite, index: number): Promise<Reading> {
  const { name, checkpoint: stored } = await findLogPlace(website.logs, website.settings.websiteId, log);
  const cursor = createLogCursor(stored, log.files);
  for (let entered = 0; entered <= index; entered += 1) cursor.enter();
  const secret = stored?.secret ?? Buffer.from(deps.randomBytes(SECRET_BYTES)).toString('base64');
  const visitorOn = visitorsUnder(Buffer.from(secret, 'base64'), website.settings.websiteId);
  return { website, name, cursor, secret, stored, hits: [], dropped: [], crawled: [], lines: 0, visitorOn };
}

function reasonOf(read: LogLine['read']): LineReason {
  return read === NO_REQUEST ? 'not_counted' : 'faulty';
}

/** Adds what a new line adds. Returns why it is not a hit that counts, if so. */
function count(
  deps: LogDependencies,
  reading: Reading,
  request: LogRequest | LeftOutRequest,
): LineReason | undefined | Promise<undefined> {
  const { settings, url, leaveOut } = reading.website;
  const { websiteId, zone } = settings;
  const { time } = request;
  if (time.getTime() > deps.now().getTime() + MAX_AHEAD_MS) return 'future';
  if ('reason' in request) return request.reason;
  const leftOut = judgeRequest(request);
  if (leftOut !== undefined && !leftOut.isOfCrawlers) return leftOut.reason;
  const hit = hitOf(request, url);
  const day = dayOf(zone, time);
  const left = leaveOut(day);
  if (left !== undefined) return left;
  const { status } = request;
  const { crawled, drop, details } = countHit(settings, hit, deps.lookups);
  if (crawled !== undefined) {
    const hits4xx = status >= 400 && status <= 499 ? 1 : 0;
    reading.crawled.push({ websiteId, day, ...crawled, hits: 1, hits4xx });
  }
  if (leftOut !== undefined) return leftOut.reason;
  if (drop !== undefined) {
    reading.dropped.push({ websiteId, day, reason: drop.reason, hits: 1 });
    return drop.reason;
  }
  const add = (visitor: bigint) => {
    // Copying its many fields takes twenty times as long as adding to it.
    reading.hits.push(Object.assign(details, { websiteId, time, day, visitor }));
    addHit(reading.website.summary, hit.ip);
    return undefined;
  };
  const visitor = visitorOn(deps, reading, day, hit);
  return visitor instanceof Promise ? visitor.then(add) : add(visitor);
}

/** A visitor of these days is the same as one that was collected; of earlier days, one of this reading. */
function visitorOn({ visitors, now }: LogDependencies, reading: Reading, day: Day, hit: Hit): bigint | Promise<bigint> {
  return day >= addDays(lastDayOnEarth(now()), -SALTED_DAYS)
    ? visitors.of(day, reading.website.settings.websiteId, hit)
    : reading.visitorOn(day, hit);
}

/** Stores the additions. At the end of the log the secret is forgotten. */
async function store(reading: Reading, isEnd: boolean): Promise<void> {
  const { name, cursor, secret, stored, hits, dropped, crawled } = reading;
  const place = cursor.checkpoint(isEnd);
  if (place === undefined) return;
  const isEnded = stored !== undefined && stored.secret === undefined;
  if (isEnd && reading.lines === 0 && isEnded) return;
  const to: LogCheckpoint = isEnd ? place : { ...place, secret };
  const { logs, settings } = reading.website;
  const { websiteId } = settings;
  const isStored = await logs.add({ websiteId, log: name, from: stored, to, hits, dropped, crawled });
  if (!isStored) throw new LogConflict(name);
  Object.assign(reading, { stored: to, hits: [], dropped: [], crawled: [], lines: 0 });
}

/** A repository of logs that waits while the database is away: {@link readLog} goes on where it was. */
export function patientLogs(logs: LogRepository): LogWebsite['logs'] {
  const retry = <T>(attempt: () => Promise<T>) => untilAvailable(attempt, performance.now() + DATABASE_WAIT_MS);
  return {
    checkpoint: (websiteId, log) => retry(() => logs.checkpoint(websiteId, log)),

    checkpoints: (websiteId) => retry(() => logs.checkpoints(websiteId)),

    add: (batch) =>
      retry(async () => {
        if (await logs.add(batch)) return true;
        // An earlier attempt may have succeeded without a response.
        return JSON.stringify(await logs.checkpoint(batch.websiteId, batch.log)) === JSON.stringify(batch.to);
      }),
  };
}
