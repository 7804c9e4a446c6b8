import { addDays, type Day, startOfDay, type TimeZone } from '@hitherto/domain/calendar';
import type { Hit } from '@hitherto/domain/hits';
import { type DemoDevice, makeBot, makeDevice } from './audience.ts';
import type { Random } from './random.ts';
import { DEMO_URL, LAUNCH_DAY, makeArrival, makeEvent, makeNextPage } from './website.ts';

export const DEMO_DAYS = 90;

const HOUR_MS = 3_600_000;
/** How many visits begin in each hour of a day, as weights. */
const HOURS = [2, 1, 1, 1, 1, 2, 4, 7, 11, 14, 15, 14, 12, 13, 14, 14, 13, 11, 10, 10, 9, 8, 6, 4];
const WEIGHTED_HOURS = HOURS.map((weight, hour) => [weight, hour] as const);
const BOT_SHARE = 0.06;

/** The made-up hits of one day of the demo, in order of time; of the last day only those before `now`. */
export function hitsOfDay(random: Random, zone: TimeZone, day: Day, index: number, now: Date): Hit[] {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  const isWeekend = weekday === 0 || weekday === 6;
  const start = startOfDay(zone, day).getTime();
  const hits: Hit[] = [];
  for (let visitor = visitorsOf(random, index, isWeekend); visitor > 0; visitor -= 1) {
    const isBot = random.fraction() < BOT_SHARE;
    const device = isBot ? makeBot(random) : makeDevice(random, isWeekend);
    const visits = random.fraction() < 0.12 ? 2 : 1;
    for (let visit = 0; visit < visits; visit += 1) {
      const begin = start + random.pick(WEIGHTED_HOURS) * HOUR_MS + random.between(0, HOUR_MS - 1);
      hits.push(...hitsOfVisit(random, device, index, begin));
    }
  }
  const end = Math.min(now.getTime(), startOfDay(zone, addDays(day, 1)).getTime() - 1);
  return hits
    .filter(({ time }) => time.getTime() <= end)
    .sort((one, other) => one.time.getTime() - other.time.getTime());
}

/** Slow growth, quiet weekends, and a launch that many hear of. */
function visitorsOf(random: Random, index: number, isWeekend: boolean): number {
  const trend = 90 + index * 0.9;
  const week = isWeekend ? 0.62 : 1;
  const noise = 0.88 + random.fraction() * 0.24;
  const launch = index >= LAUNCH_DAY ? 1 + 2.4 / (1 + index - LAUNCH_DAY) ** 1.3 : 1;
  return Math.round(trend * week * noise * launch);
}

function hitsOfVisit(random: Random, device: DemoDevice, day: number, begin: number): Hit[] {
  const { referrer, query = '', path: entry } = makeArrival(random, day);
  const hits: Hit[] = [];
  let time = begin;
  let path = entry;
  const hit = (url: string, more: Partial<Hit>): Hit => ({
    ...device,
    ...more,
    url: new URL(url),
    time: new Date(time),
    sender: 'browser',
  });

  hits.push(hit(`${DEMO_URL}${path}${query}`, { referrer: referrer === undefined ? undefined : new URL(referrer) }));
  for (let stays = random.fraction() < 0.54; stays; stays = random.fraction() < 0.62) {
    const event = makeEvent(random, path);
    time += random.between(4, 40) * 1_000;
    if (event !== undefined) hits.push(hit(`${DEMO_URL}${path}`, event));
    time += random.between(5, 150) * 1_000;
    const from = new URL(`${DEMO_URL}${path}`);
    path = makeNextPage(random);
    hits.push(hit(`${DEMO_URL}${path}`, { referrer: from }));
  }
  return hits;
}
