import { groupBy } from '../base/group-by.ts';
import { bySize, type Check, NO_FIX } from './check.ts';

/** Visits of all spellings but the most frequent one. */
const MIN_VISITS = 10;
const MAX_SPELLINGS = 10;

export interface LabelsSplit {
  /** The most frequent first. */
  readonly spellings: readonly string[];
  /** Of all spellings but the first. */
  readonly visits: number;
}

/** One campaign source under several spellings. */
export const labelsSplit: Check<LabelsSplit> = {
  find: ({ labels, days }) =>
    [...groupBy(labels, ({ value }) => (value === null ? '' : foldLabel(value)))]
      .filter(([folded, rows]) => folded !== '' && rows.length > 1)
      .map(([folded, rows]) => {
        const sorted = rows.toSorted((a, b) => b.visits - a.visits);
        const visits = sorted.slice(1).reduce((sum, row) => sum + row.visits, 0);
        const spellings = sorted.slice(0, MAX_SPELLINGS).map(({ value }) => value ?? '');
        return { subject: folded, since: days.at(-1) ?? '', size: visits, evidence: { spellings, visits } };
      })
      .filter(({ size }) => size >= MIN_VISITS)
      .sort(bySize),

  fix: () => NO_FIX,
};

/** Without letter case, `www.` and the end of a domain: `Facebook`, `facebook.com` and `www.facebook.com` are one. */
function foldLabel(label: string): string {
  return label
    .toLowerCase()
    .replace(/^www\./, '')
    .replace(/(?<=[^.])(?:\.(?:com?|org|net))?\.[a-z]{2,6}$/, '');
}
