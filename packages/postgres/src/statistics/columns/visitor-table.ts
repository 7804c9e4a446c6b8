import { larger } from './larger.ts';

/** Places of visitors, in the order in which they came. */
export interface VisitorTable {
  /** How many there are. */
  size(): number;
  bytes(): number;
  /** The place of the visitor with these bits, 32 high and 32 low ones; a new one if it did not come before. */
  placeOf(high: number, low: number): number;
  /** The visitor at a place, unsigned. */
  visitorAt(place: number): bigint;
  /** The high and the low bits of the visitor at a place. */
  highAt(place: number): number;
  lowAt(place: number): number;
}

const FIRST_SIZE = 64;

/** A table with open addressing: visitors are random numbers, so their bits choose their slot. */
export function createVisitorTable(): VisitorTable {
  let [high, low] = [new Uint32Array(FIRST_SIZE), new Uint32Array(FIRST_SIZE)];
  /** Places, counted from 1. At most half of the slots are filled. */
  let slots = new Uint32Array(2 * FIRST_SIZE);
  let size = 0;

  const slotOf = (ofHigh: number, ofLow: number): number => {
    const last = slots.length - 1;
    for (let slot = (Math.imul(ofHigh, MIX) ^ ofLow) & last; ; slot = (slot + 1) & last) {
      const place = (slots[slot] ?? 0) - 1;
      if (place < 0 || (low[place] === ofLow && high[place] === ofHigh)) return slot;
    }
  };

  const grow = () => {
    [high, low] = [larger(high), larger(low)];
    slots = new Uint32Array(2 * slots.length);
    for (let place = 0; place < size; place += 1) slots[slotOf(high[place] ?? 0, low[place] ?? 0)] = place + 1;
  };

  return {
    size: () => size,
    bytes: () => high.byteLength + low.byteLength + slots.byteLength,
    placeOf(ofHigh, ofLow) {
      const known = (slots[slotOf(ofHigh, ofLow)] ?? 0) - 1;
      if (known >= 0) return known;
      if (size === high.length) grow();
      high[size] = ofHigh;
      low[size] = ofLow;
      size += 1;
      slots[slotOf(ofHigh, ofLow)] = size;
      return size - 1;
    },
    visitorAt: (place) => (BigInt(high[place] ?? 0) << 32n) | BigInt(low[place] ?? 0),
    highAt: (place) => high[place] ?? 0,
    lowAt: (place) => low[place] ?? 0,
  };
}

/** Odd, so that no bits are lost. Servers name their visitors by hashes, tests by small numbers. */
const MIX = 0x9e37_79b1;
