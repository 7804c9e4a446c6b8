import type { Day } from '../calendar/days.ts';
import type { Network } from '../hits/hit.ts';
import { bySize, type Check, type CheckNumbers, type DirectVisits, type Found } from './check.ts';

const MIN_SHARE = 0.05;
export const MIN_SPAM_VISITS = 50;
const USUAL_SHARE = 0.01;
/** Days without such visits that are needed to know what is usual. */
const MIN_USUAL_DAYS = 7;

export interface SpamLike {
  /** One of these is not null. */
  readonly country: string | null;
  readonly network: Network | null;
  /** Of the days with such visits. */
  readonly visits: number;
  readonly days: number;
  readonly share: number;
}

/** Many direct visits of one page from one country, or from hosting networks, that usually has few. */
export const spamLike: Check<SpamLike> = {
  find: (numbers) => numbers.directVisits.flatMap((direct) => findSpam(numbers, direct) ?? []).sort(bySize),

  fix: ({ country, network }, _, since) => ({
    kind: 'cleanup',
    name: `Direct visits of one page from ${country ?? `${network} networks`}`,
    filters: {
      ...(country === null ? {} : { country: [country] }),
      ...(network === null ? {} : { network: [network] }),
      channel: ['Direct'],
      bounce: ['1'],
    },
    from: since,
    erases: false,
  }),
};

function findSpam(
  { days, longByDay }: CheckNumbers,
  { country, network, byDay: direct }: DirectVisits,
): Found<SpamLike> | undefined {
  const bouncesOn = (day: Day) => direct.get(day)?.bounces ?? 0;
  const visitsOn = (day: Day) => longByDay.get(day)?.visits ?? 0;
  const known = [...longByDay.keys()].filter((day) => visitsOn(day) > 0).sort();
  const sum = (some: readonly Day[], of: (day: Day) => number) => some.reduce((total, day) => total + of(day), 0);
  const isMany = (day: Day) => bouncesOn(day) >= MIN_SPAM_VISITS && bouncesOn(day) >= MIN_SHARE * visitsOn(day);
  const many = known.filter(isMany);
  const usual = known.filter((day) => !isMany(day));
  const [since] = many;
  const isOver = !many.some((day) => days.includes(day));
  if (since === undefined || isOver || usual.length < MIN_USUAL_DAYS) return undefined;
  if (sum(usual, bouncesOn) > USUAL_SHARE * sum(usual, visitsOn)) return undefined;
  const visits = sum(many, bouncesOn);
  const share = Math.round((10_000 * visits) / sum(many, visitsOn)) / 10_000;
  const evidence = { country, network, visits, days: many.length, share };
  return { subject: country ?? `network ${network}`, since, size: visits, evidence };
}
