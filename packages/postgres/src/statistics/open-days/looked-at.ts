import type { Day } from '@hitherto/domain/calendar';
import { LRUCache } from 'lru-cache';
import { createDayParts, type DayParts, type KnownParts } from '../columns/known-parts.ts';
import type { CountedHits } from './counted-hits.ts';
import type { Moment } from './moment.ts';

/** A day with hits, as a snapshot has it. */
export interface NotedDay {
  readonly day: Day;
  /** How many hits are noted. */
  readonly hits: number;
  /** The transaction that changed its hits in another way than by adding some; 0 if none did. */
  readonly rewrittenIn: number;
}

/** A day whose hits were read. */
export interface KnownDay extends NotedDay {
  readonly moment: Moment;
  readonly counted: CountedHits;
}

/** The days that somebody has looked at, which this process caches: those that nobody has looked at for longest give way. */
export interface LookedAtDays {
  /** Days that are counted from their hits. */
  readonly open: {
    get(key: string): KnownDay | undefined;
    set(key: string, day: KnownDay): void;
    delete(key: string): void;
  };
  /** Days in the book. */
  readonly parts: KnownParts;
}

/** Enough for ten open days of 300,000 hits. */
const MAX_BYTES = 160 * 1024 * 1024;

export function createLookedAtDays(): LookedAtDays {
  const cache = new LRUCache<string, { readonly open: KnownDay } | { readonly parts: DayParts }>({
    maxSize: MAX_BYTES,
    sizeCalculation: (day, key) => key.length + ('open' in day ? day.open.counted : day.parts).bytes(),
  });
  const keyOf = (kind: 'open' | 'book', key: string) => `${kind} ${key}`;
  return {
    open: {
      get(key) {
        const known = cache.get(keyOf('open', key));
        return known !== undefined && 'open' in known ? known.open : undefined;
      },
      set: (key, open) => void cache.set(keyOf('open', key), { open }),
      delete: (key) => void cache.delete(keyOf('open', key)),
    },
    parts: {
      of(key) {
        const known = cache.get(keyOf('book', key));
        return known !== undefined && 'parts' in known ? known.parts : createDayParts();
      },
      cache: (key, parts) => void cache.set(keyOf('book', key), { parts }),
    },
  };
}
