import { createHmac } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { addDays, type Day } from '../calendar/days.ts';
import { dayOf, lastDayOnEarth } from '../calendar/time-zone.ts';
import { type CountingSettings, countHit } from '../collecting/count-hit.ts';
import { untilAvailable } from '../collecting/outage.ts';
import { type Visitors, visitorOf } from '../collecting/visitors.ts';
import type { CountedHit, DropReason, Hit, HitLookups } from '../hit.ts';
import type { CrawlerHits } from '../journal/crawlers.ts';
import type { DroppedHits } from '../journal/hit-repository.ts';
import type { LogCheckpoint, LogRepository } from '../journal/logs.ts';
import { judgeRequest, type RequestReason } from './judge-request.ts';
import type { OpenLogs } from './log-files.ts';
import { createLogCursor, type LogCursor } from './log-place.ts';
import { type LogRequest, NO_REQUEST } from './log-request.ts';

/** Why a line of a log does not count (statistics.md, "Access logs"). */
export type LineReason =
  | DropReason
  | RequestReason
  | 'unreadable'
  | 'no_request'
  | 'unknown_host'
  | 'earlier'
  | 'future'
  | 'too_old';

/** What a reading has found. */
export interface LogSummary {
  /** Lines that were read for the first time. */
  lines: number;
  /** Hits that count. */
  hits: number;
  /** Lines that had been read before. */
  readBefore: number;
  /** Lines that do not count, by reason, with the first three of each. */
  readonly left: Map<LineReason, { lines: number; readonly examples: string[] }>;
}

export const newLogSummary = (): LogSummary => ({ lines: 0, hits: 0, readBefore: 0, left: new Map() });

/** A website that a log has lines of. */
export interface LogWebsite {
  readonly url: string;
  readonly settings: CountingSettings;
}

/** A log that is read. */
export interface LogToRead extends Pick<OpenLogs, 'files' | 'read'> {
  readonly name: string;
  /** How far all of it has been read, whatever the website; earlier lines are not looked at. */
  readonly from: LogCheckpoint | undefined;
}

export interface LogDependencies {
  readonly logs: LogRepository;
  readonly lookups: HitLookups;
  readonly visitors: Pick<Visitors, 'of'>;
  /** The website of a line by its host, if it names one. */
  readonly find: (host: string | undefined) => LogWebsite | undefined | Promise<LogWebsite | undefined>;
  /** Hits of earlier days are not kept. */
  readonly keptFrom: Day;
  readonly now: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Another process has read the same log for the same website meanwhile. */
export class LogConflict extends Error {
  override readonly name = 'LogConflict';
}

/** After so many lines, what they add is stored. */
const BATCH = 4_000;
/** How long a batch waits for the database, in milliseconds. */
const PATIENCE_MS = 60_000;
const SECRET_BYTES = 32;
const EXAMPLES = { lines: 3, length: 300 };
const MAX_AHEAD_MS = 5 * 60_000;
/** The salts of earlier days may be gone. */
const SALTED_DAYS = 2;

/** What lines have added to a website, and is not stored. */
interface Reading {
  readonly website: LogWebsite;
  readonly cursor: LogCursor;
  readonly secret: string;
  stored: LogCheckpoint | undefined;
  hits: CountedHit[];
  dropped: DroppedHits[];
  crawled: CrawlerHits[];
  lines: number;
}

/**
 * Reads a log once, and adds its new lines to their websites: each line once, however often the log is read, and wherever a
 * reading is killed.
 *
 * @param summary is added to
 * @returns how far the log has been read
 * @throws LogConflict if another process reads it too
 */
export async function readLog(
  deps: LogDependencies,
  log: LogToRead,
  summary: LogSummary,
  signal: AbortSignal,
): Promise<LogCheckpoint | undefined> {
  const { files, read } = log;
  const whole = createLogCursor(log.from, files);
  const readings = new Map<string, Reading>();

  const leave = (reason: LineReason, place: string, text: string) => {
    const known = summary.left.get(reason) ?? { lines: 0, examples: [] };
    known.lines += 1;
    if (known.examples.length < EXAMPLES.lines) known.examples.push(`${place}: ${text}`.slice(0, EXAMPLES.length));
    summary.left.set(reason, known);
  };

  for (const [index, file] of files.entries()) {
    whole.enter();
    for (const { cursor } of readings.values()) cursor.enter();
    const start = whole.startOf(index);
    if (start === undefined) continue;
    let number = 0;
    for await (const lines of file.lines(start)) {
      for (const { text, end } of lines) {
        const parsed = read(text);
        const request = parsed === undefined || parsed === NO_REQUEST ? undefined : parsed;
        whole.judge(end, request?.time);
        number += 1;
        const place = start === 0 ? `${file.path}, line ${number}` : `${file.path}, byte ${end}`;
        const found = deps.find(request?.host);
        const website = found instanceof Promise ? await found : found;
        if (website === undefined) {
          summary.lines += 1;
          leave(request === undefined ? reasonOf(parsed) : 'unknown_host', place, text);
          continue;
        }
        const reading = readings.get(website.settings.websiteId) ?? (await begin(deps, log, website, index));
        readings.set(website.settings.websiteId, reading);
        const judged = reading.cursor.judge(end, request?.time);
        if (judged === 'read') {
          summary.readBefore += 1;
          continue;
        }
        summary.lines += 1;
        const reason =
          judged === 'earlier'
            ? judged
            : request === undefined
              ? reasonOf(parsed)
              : await count(deps, reading, request);
        if (reason === undefined) summary.hits += 1;
        else leave(reason, place, text);
        reading.lines += 1;
        if (reading.lines >= BATCH) await store(deps, log, reading, false);
      }
      signal.throwIfAborted();
      await nextTurn();
    }
  }
  for (const reading of readings.values()) await store(deps, log, reading, true);
  return whole.checkpoint(true);
}

async function begin(deps: LogDependencies, log: LogToRead, website: LogWebsite, index: number): Promise<Reading> {
  const stored = await retry(() => deps.logs.checkpoint(website.settings.websiteId, log.name));
  const cursor = createLogCursor(stored, log.files);
  for (let entered = 0; entered <= index; entered += 1) cursor.enter();
  const secret = stored?.secret ?? Buffer.from(deps.randomBytes(SECRET_BYTES)).toString('base64');
  return { website, cursor, secret, stored, hits: [], dropped: [], crawled: [], lines: 0 };
}

function reasonOf(parsed: LogRequest | typeof NO_REQUEST | undefined): LineReason {
  return parsed === NO_REQUEST ? 'no_request' : 'unreadable';
}

/** Adds what a new line adds. Returns why it is no hit that counts, if so. */
async function count(deps: LogDependencies, reading: Reading, request: LogRequest): Promise<LineReason | undefined> {
  const { settings, url } = reading.website;
  const { websiteId, zone } = settings;
  const { time, status } = request;
  if (time.getTime() > deps.now().getTime() + MAX_AHEAD_MS) return 'future';
  const { hit, reason } = judgeRequest(request, url);
  if (hit === undefined) return reason;
  const day = dayOf(zone, time);
  if (day < deps.keptFrom) return 'too_old';
  const counted = countHit(settings, hit, deps.lookups);
  if (counted.crawled !== undefined) {
    const hits4xx = status >= 400 && status <= 499 ? 1 : 0;
    reading.crawled.push({ websiteId, day, ...counted.crawled, hits: 1, hits4xx });
  }
  if (reason !== undefined) return reason;
  if (counted.drop !== undefined) {
    reading.dropped.push({ websiteId, day, reason: counted.drop.reason, hits: 1 });
    return counted.drop.reason;
  }
  const visitor = await visitorOn(deps, reading, day, hit);
  reading.hits.push({ websiteId, time, day, visitor, ...counted.details });
  return undefined;
}

/** A visitor of these days is the same as one that was collected; of earlier days, one of this reading. */
function visitorOn(
  { visitors, now }: LogDependencies,
  { website: { settings }, secret }: Reading,
  day: Day,
  hit: Hit,
): bigint | Promise<bigint> {
  if (day >= addDays(lastDayOnEarth(now()), -SALTED_DAYS)) {
    return visitors.of(day, settings.websiteId, hit);
  }
  const salt = createHmac('sha256', Buffer.from(secret, 'base64')).update(day).digest();
  return visitorOf(salt, settings.websiteId, hit);
}

/** Stores what is read. At the end of the log the secret is forgotten. */
async function store(deps: LogDependencies, { name }: LogToRead, reading: Reading, isEnd: boolean): Promise<void> {
  const { cursor, secret, stored, hits, dropped, crawled } = reading;
  const place = cursor.checkpoint(isEnd);
  if (place === undefined) return;
  const isEnded = stored !== undefined && stored.secret === undefined;
  if (isEnd && reading.lines === 0 && isEnded) return;
  const to: LogCheckpoint = isEnd ? place : { ...place, secret };
  const { websiteId } = reading.website.settings;
  const isStored = await retry(async () => {
    if (await deps.logs.add({ websiteId, log: name, from: stored, to, hits, dropped, crawled })) return true;
    // An earlier attempt may have succeeded without an answer.
    return isSame(await deps.logs.checkpoint(websiteId, name), to);
  });
  if (!isStored) {
    throw new LogConflict(
      `The log ${name} is being read for this website by another process, or the website is gone. Stop one of them.`,
    );
  }
  Object.assign(reading, { stored: to, hits: [], dropped: [], crawled: [], lines: 0 });
}

function retry<T>(attempt: () => Promise<T>): Promise<T> {
  return untilAvailable(attempt, performance.now() + PATIENCE_MS);
}

function isSame(one: LogCheckpoint | undefined, other: LogCheckpoint): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
