import { bySize, type Check, nameOfCleanup } from './check.ts';

export const MIN_REFERRED = 50;
const MIN_COUNTRIES = 10;

export interface NewSpammer {
  readonly host: string;
  readonly visits: number;
  readonly countries: number;
}

/** A referrer that nobody knew, all of whose visits from everywhere see one page. */
export const newSpammer: Check<NewSpammer> = {
  find: ({ bouncingHosts }) =>
    bouncingHosts
      .filter(({ countries, isKnown }) => countries >= MIN_COUNTRIES && !isKnown)
      .map(({ host, visits, countries, since }) => ({
        subject: host,
        since,
        size: visits,
        evidence: { host, visits, countries },
      }))
      .sort(bySize),

  fix: ({ host }, _, since) => ({
    kind: 'cleanup',
    name: nameOfCleanup(`Visits from ${host}`),
    filters: { 'referrer.like': [host, `${host}/*`], bounce: ['1'] },
    from: since,
    erases: false,
  }),
};
