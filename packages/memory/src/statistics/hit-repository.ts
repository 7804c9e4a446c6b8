import { storableString } from '@hitherto/domain/base';
import {
  type CountedHit,
  type DroppedHits,
  HIT_STRINGS,
  type HitRepository,
  type SaltRepository,
} from '@hitherto/domain/hits';
import type { JournalState } from './state.ts';

/** Stores hits in `state`, as they were added. */
export function createHitRepository(state: JournalState, isKnown: (websiteId: string) => boolean): HitRepository {
  const drop = (dropped: readonly DroppedHits[]) => {
    const kept = dropped.filter(({ websiteId }) => isKnown(websiteId));
    state.dropped = [...state.dropped, ...structuredClone(kept)];
  };

  return {
    async add(hits, dropped = []) {
      const kept = hits.filter(({ websiteId }) => isKnown(websiteId));
      state.hits = [...state.hits, ...kept.map(storableHit)];
      drop(dropped);
    },

    addDropped: (dropped) => drop([dropped]),
  };
}

/** Stores the days' salts in `state`. */
export function createSaltRepository(state: JournalState): SaltRepository {
  return {
    async saltOf(day, fresh) {
      const salt = state.salts.get(day) ?? fresh;
      state.salts.set(day, salt.slice());
      return salt.slice();
    },

    async deleteBefore(day) {
      const old = [...state.salts.keys()].filter((known) => known < day);
      for (const known of old) state.salts.delete(known);
      return old.length;
    },
  };
}

/** A copy, with strings as a database can store them. */
export function storableHit(hit: CountedHit): CountedHit {
  const texts = Object.values(HIT_STRINGS).map((field) => [field, hit[field] && storableString(hit[field])] as const);
  const props = Object.entries(hit.props ?? {}).map(([name, value]) => [
    storableString(name),
    typeof value === 'string' ? storableString(value) : value,
  ]);
  const copy = { ...hit, time: new Date(hit.time), props: hit.props && Object.fromEntries(props) };
  return Object.assign(copy, Object.fromEntries(texts));
}
