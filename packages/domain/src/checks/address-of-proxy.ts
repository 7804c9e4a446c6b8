import { type Check, NO_FIX } from './check.ts';

const MIN_SHARE = 0.8;
const MIN_VISITS = 20;
const DAYS = 3;

export interface AddressOfProxy {
  readonly share: number;
  /** Whether the addresses are of the server or its own network. */
  readonly isLocal: boolean;
}

/** Nearly all visits come from one network: that of a proxy whose visitors' addresses are not read. */
export const addressOfProxy: Check<AddressOfProxy> = {
  find({ days, noted }) {
    const recent = days.slice(-DAYS).map((day) => {
      const rows = noted.filter((row) => row.kind === 'network' && row.day === day);
      const all = rows.reduce((sum, { hits }) => sum + hits, 0);
      const largest = rows.reduce((most, row) => (row.hits > most.hits ? row : most), { value: '', hits: 0 });
      return { all, value: largest.value, share: all === 0 ? 0 : Math.round((1_000 * largest.hits) / all) / 1_000 };
    });
    const last = recent.at(-1);
    const isProxy = recent.every(({ all, share }) => all >= MIN_VISITS && share > MIN_SHARE);
    if (!isProxy || last === undefined || recent.length < DAYS) return [];
    const evidence = { share: last.share, isLocal: last.value === 'local' };
    return [{ subject: '', since: days.at(-DAYS) ?? '', size: last.share, evidence }];
  },

  fix: () => NO_FIX,
};
