import type { Check } from './check.ts';

const MIN_SHARE = 0.2;
const MIN_PAGEVIEWS = 50;

export interface CountedTwice {
  readonly repeated: number;
  readonly pageviews: number;
  readonly share: number;
}

/** Pageviews that come again within a second: two snippets are in the pages. */
export const countedTwice: Check<CountedTwice> = {
  find({ days, byDay, noted }) {
    const shareOn = (day: string) => {
      const repeated = noted.find((row) => row.kind === 'repeated' && row.day === day)?.hits ?? 0;
      const pageviews = byDay.get(day)?.pageviews ?? 0;
      return { repeated, pageviews, share: pageviews === 0 ? 0 : Math.round((1_000 * repeated) / pageviews) / 1_000 };
    };
    const isTwice = (day: string) => shareOn(day).share >= MIN_SHARE && shareOn(day).pageviews >= MIN_PAGEVIEWS;
    const first = days.findLastIndex((day) => !isTwice(day)) + 1;
    const [since, last] = [days[first], days.at(-1)];
    if (since === undefined || last === undefined) return [];
    const evidence = shareOn(last);
    return [{ subject: '', since, size: evidence.share, evidence }];
  },

  fix: () => ({ kind: 'snippet' }),
};
