import { addDays, type Day, daysOf } from '@hitherto/domain/calendar';
import { bareDetails, type CountedHit, type HitDetails } from '@hitherto/domain/hits';

/** The last day that is checked, and the first of the 28 days until then. */
export const LAST = '2026-11-19';
export const FIRST = addDays(LAST, -27);
export const DAYS = daysOf(FIRST, LAST);

const COUNTRIES = ['DE', 'AT', 'CH', 'FR', 'US'];
const PAGES = ['/', '/prices', '/docs', '/blog/1', '/blog/2'];
const REFERRERS = [null, null, 'search.example', 'news.example/a', 'friend.example'];

/** Visits of days: one visit each, of some pages. */
export function visitsOf(websiteId: string) {
  let visitor = 1n;
  const visit = (day: Day, minute: number, pages: readonly string[], details: Partial<HitDetails> = {}) => {
    visitor += 1n;
    return pages.map((page, index): CountedHit => {
      const time = new Date(Date.parse(`${day}T00:00:00Z`) + (minute + index) * 60_000);
      const all = { ...bareDetails(`${websiteId}.example`, page), country: 'DE', browser: 'Firefox', ...details };
      return { websiteId, time, day, visitor, ...all };
    });
  };

  /** Ordinary visits of a day. */
  const quietDay = (day: Day, visits: number, details: Partial<HitDetails> = {}) =>
    Array.from({ length: visits }, (_, index) => {
      const referrer = REFERRERS[index % REFERRERS.length] ?? null;
      const pages = PAGES.slice(index % PAGES.length).slice(0, 1 + (index % 3));
      return visit(day, ((index * 1_440) / visits) % 1_430, pages, {
        country: COUNTRIES[index % COUNTRIES.length] ?? null,
        referrer,
        source: referrer?.split('/')[0] ?? null,
        channel: referrer === null ? 'Direct' : 'Referral',
        ...details,
      });
    }).flat();

  return { visit, quietDay };
}

type Visits = ReturnType<typeof visitsOf>;

/** Histories with nothing wrong in them, by name. */
export const QUIET: Readonly<Record<string, (visits: Visits) => CountedHit[]>> = {
  'is steady': ({ quietDay }) => DAYS.flatMap((day) => quietDay(day, 40)),
  'has few visits': ({ quietDay }) => DAYS.flatMap((day) => quietDay(day, 5)),
  grows: ({ quietDay }) => DAYS.flatMap((day, index) => quietDay(day, 10 + 4 * index)),
  'rests on weekends': ({ quietDay }) => DAYS.flatMap((day, index) => quietDay(day, index % 7 < 5 ? 40 : 4)),
  'has a newsletter': ({ quietDay }) =>
    DAYS.flatMap((day, index) => [
      ...quietDay(day, 30),
      ...(index % 7 === 2 ? quietDay(day, 120, { utmSource: 'newsletter', channel: 'Campaign', referrer: null }) : []),
    ]),
  'has a page for a while': ({ quietDay, visit }) =>
    DAYS.flatMap((day, index) => [
      ...quietDay(day, 30),
      ...(index < 12 ? repeat(25, (n) => visit(day, n, ['/sale'])) : []),
    ]),
};

/** A history that everything is wrong with that hits can show, but for its hours. */
export function faultyHistory({ quietDay, visit }: Visits, otherHost: string): CountedHit[] {
  const lately = DAYS.slice(-3);
  const [last = LAST] = DAYS.slice(-1);
  const tracked = DAYS.slice(0, -3).flatMap((day) => repeat(25, (n) => visit(day, 300 + n, ['/lost', '/docs'])));
  const spam = lately.flatMap((day) => repeat(60, (n) => visit(day, 60 + n, ['/'], { country: 'SG' })));
  const hosting = lately.flatMap((day) =>
    repeat(55, (n) =>
      visit(day, 700 + n, ['/'], { country: COUNTRIES[n % COUNTRIES.length] ?? null, network: 'hosting' }),
    ),
  );
  const spammer = lately.flatMap((day) =>
    repeat(24, (n) =>
      visit(day, 90 + n, ['/'], {
        country: String.fromCharCode(65 + (n % 12)).repeat(2),
        referrer: n % 2 === 0 ? 'spam.example' : 'spam.example/win',
        channel: 'Referral',
      }),
    ),
  );
  const noise = repeat(110, (n) => visit(last, 200 + n, [`/list?page=1&filter=${n}`, '/docs']));
  const labels = ['Newsletter', 'newsletter'].flatMap((utmSource) =>
    repeat(12, (n) => visit(last, 400 + n, ['/', '/docs'], { utmSource, channel: 'Campaign' })),
  );
  const own = DAYS.flatMap((day) =>
    repeat(8, (n) => visit(day, 500 + n, ['/', '/docs'], { referrer: `${otherHost}/shop`, channel: 'Referral' })),
  );
  const secrets = [
    visit(last, 600, ['/welcome?mail=anna%40mail.example', '/docs']),
    visit(last, 601, ['/user/anna@mail.example/edit', '/docs']),
    visit(last, 602, ['/pay?account=DE89370400440532013000', '/docs']),
  ].flat();
  return [
    ...DAYS.flatMap((day) => quietDay(day, 40)),
    ...[tracked, spam, hosting, spammer, noise, labels, own, secrets].flat(),
  ];
}

/** A history whose hits have no times of day. */
export function historyOfMidnights({ quietDay }: Visits): CountedHit[] {
  return DAYS.flatMap((day) => quietDay(day, 40)).map((hit) => ({
    ...hit,
    time: new Date(Date.parse(`${hit.day}T00:00:00Z`)),
  }));
}

function repeat<T>(times: number, make: (index: number) => readonly T[]): T[] {
  return Array.from({ length: times }, (_, index) => make(index)).flat();
}
