import { groupBy } from '../base/group-by.ts';
import { hostOf, isWithin } from '../hits/page-url.ts';
import { bySize, type Check, type CheckNumbers, NO_FIX } from './check.ts';
import { commonParent } from './common-parent.ts';

/** A host has to have this many dropped hits on one of the last days. */
const MIN_HITS = 50;
const RECENT_DAYS = 3;

export interface UnknownHost {
  readonly host: string;
  /** The most that were dropped on a day. */
  readonly hits: number;
  /** Whether the website has no visits any more: it may have moved to this host. */
  readonly isAlone: boolean;
}

/** A host that sends hits for this website, and is neither its host nor below it. */
export const unknownHost: Check<UnknownHost> = {
  find(numbers) {
    const recent = numbers.days.slice(-RECENT_DAYS);
    const own = hostOf(new URL(numbers.website.url));
    const dropped = numbers.noted.filter(({ kind, value }) => kind === 'foreign_host' && !isWithin(value, own));
    return [...groupBy(dropped, ({ value }) => value)]
      .flatMap(([host, rows]) => {
        const many = rows.filter(({ hits }) => hits >= MIN_HITS).map(({ day }) => day);
        if (!many.some((day) => recent.includes(day))) return [];
        const hits = Math.max(...rows.filter(({ day }) => recent.includes(day)).map((row) => row.hits));
        const since = many.sort()[0] ?? '';
        return [{ subject: host, since, size: hits, evidence: { host, hits, isAlone: isAlone(numbers, recent) } }];
      })
      .sort(bySize);
  },

  fix({ host, isAlone }, website) {
    const parent = commonParent(host, hostOf(new URL(website.url)));
    if (parent === undefined && !isAlone) return NO_FIX;
    return { kind: 'url', url: `https://${parent ?? host}` };
  },
};

function isAlone({ byDay }: CheckNumbers, recent: readonly string[]): boolean {
  return recent.every((day) => (byDay.get(day)?.visits ?? 0) === 0);
}
