import { pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import { dayOf, zoneOf } from '@hitherto/domain/calendar';
import { type MarkedHit, markHidden } from '@hitherto/domain/cleanups';
import type { StatisticsRepository } from '@hitherto/domain/engine';
import type { CountedHit } from '@hitherto/domain/hits';
import { knownVisits } from '@hitherto/domain/visits';
import type { Context } from '../cli/context.ts';
import { assertNew, writeNewFile } from '../cli/new-file.ts';
import { requireWebsite } from '../cli/require-website.ts';
import { withDatabase } from '../cli/with-database.ts';
import { loadSettings } from '../installation/settings.ts';

const COLUMNS = ['day', 'visitors', 'visits', 'pageviews', 'events', 'bounces', 'visits_with_pageviews', 'duration'];

/**
 * Writes the hits of a website to a new file, and the sums of its days to another one next to it.
 *
 * @param withHidden also the hits of visits that cleanups hide, marked
 */
export async function exportHits(
  context: Context,
  websiteId: string,
  file: string,
  withHidden: boolean,
): Promise<void> {
  const days = file.replace(/\.jsonl(\.gz)?$/, '.days.csv');
  await withDatabase(context, async ({ directory, staging, statistics }) => {
    const { website } = await requireWebsite(directory, websiteId);
    // Writing the hits may take minutes.
    await assertNew(days);
    const hits = markHidden(pageviewsAndEvents(staging.hits(website.id)), await statistics.hidingRules(website.id));
    const text = context.hitFile(withHidden ? hits : shown(hits));
    await writeNewFile(file, file.endsWith('.gz') ? compressed(text) : text);
    const today = dayOf(zoneOf(website, loadSettings(context.env).timeZone), context.now());
    await writeNewFile(days, sumsOfDays(statistics, website.id, today));
  });
  context.tell(`Wrote the hits to ${file}, and the sums of days to ${days}.\n`);
}

/** The file has no lines for measures, which count nothing themselves. */
async function* pageviewsAndEvents(hits: AsyncIterable<CountedHit>): AsyncGenerator<CountedHit> {
  for await (const hit of hits) if (hit.measure === undefined) yield hit;
}

async function* shown(hits: AsyncIterable<MarkedHit>): AsyncGenerator<MarkedHit> {
  for await (const hit of hits) if (!hit.isHidden) yield hit;
}

/** The text, compressed. It is read only from the first read of the result until the reader stops. */
async function* compressed(text: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  // An error of either stream also reaches the loop that reads the last one.
  yield* pipeline(text, createGzip(), () => {});
}

/** As CSV; durations are in seconds. Numbers that an import lacks are empty. */
async function* sumsOfDays(
  statistics: Pick<StatisticsRepository, 'series' | 'firstDay'>,
  websiteId: string,
  to: string,
): AsyncGenerator<string> {
  yield `${COLUMNS.join(',')}\n`;
  const from = await statistics.firstDay(websiteId);
  if (from === undefined) return;
  for (const point of await statistics.series({ websiteId, from, to, filters: [] }, 'day')) {
    const { start, visitors, pageviews, events, bounces, visitsWithPageviews, duration } = point;
    const visits = knownVisits(point);
    const ofVisits = (number: number) => (visits === null ? '' : number);
    const numbers = [
      visitors,
      ofVisits(visits ?? 0),
      pageviews,
      events,
      ofVisits(bounces),
      ofVisits(visitsWithPageviews),
      ofVisits(duration / 1_000),
    ];
    yield `${start},${numbers.join(',')}\n`;
  }
}
