import type { Day } from '../calendar/days.ts';
import type { SeriesPoint } from '../visits/totals.ts';
import { bySize, type Check, type CheckNumbers, type Found } from './check.ts';

const MIN_SHARE = 0.05;
export const MIN_SPAM_VISITS = 50;
const USUAL_SHARE = 0.01;
/** Days without such visits that are needed to know what is usual. */
const MIN_USUAL_DAYS = 7;

export interface SpamLike {
  readonly country: string;
  /** Of the days with such visits. */
  readonly visits: number;
  readonly days: number;
  readonly share: number;
}

/** Many direct visits of one page from one country that usually has few. */
export const spamLike: Check<SpamLike> = {
  find: (numbers) =>
    [...numbers.directVisits].flatMap(([country, byDay]) => findSpam(numbers, country, byDay) ?? []).sort(bySize),

  fix: ({ country }, _, since) => ({
    kind: 'cleanup',
    name: `Direct visits of one page from ${country}`,
    filters: { country: [country], channel: ['Direct'], bounce: ['1'] },
    from: since,
    erases: false,
  }),
};

function findSpam(
  { days, byDay }: CheckNumbers,
  country: string,
  direct: ReadonlyMap<Day, SeriesPoint>,
): Found<SpamLike> | undefined {
  const known = days.filter((day) => (byDay.get(day)?.visits ?? 0) > 0);
  const bouncesOn = (day: Day) => direct.get(day)?.bounces ?? 0;
  const visitsOn = (day: Day) => byDay.get(day)?.visits ?? 0;
  const sum = (some: readonly Day[], of: (day: Day) => number) => some.reduce((total, day) => total + of(day), 0);
  const isMany = (day: Day) => bouncesOn(day) >= MIN_SPAM_VISITS && bouncesOn(day) >= MIN_SHARE * visitsOn(day);
  const many = known.filter(isMany);
  const usual = known.filter((day) => !isMany(day));
  const [since] = many;
  if (since === undefined || usual.length < MIN_USUAL_DAYS) return undefined;
  if (sum(usual, bouncesOn) > USUAL_SHARE * sum(usual, visitsOn)) return undefined;
  const visits = sum(many, bouncesOn);
  const share = Math.round((10_000 * visits) / sum(many, visitsOn)) / 10_000;
  return { subject: country, since, size: visits, evidence: { country, visits, days: many.length, share } };
}
