import { randomBytes } from 'node:crypto';
import { larger } from './larger.ts';

/** Places of sequences of bytes, in the order in which they came. */
export interface ByteTable {
  /** The place of the bytes from one place up to another, at least four; a new one if they did not come before. */
  placeOf(bytes: DataView, from: number, to: number): number;
}

const FIRST_SIZE = 64;
const WORD_BYTES = 4;

/** A table with open addressing: no string needs to be made of bytes that came before. */
export function createByteTable(): ByteTable {
  let bytesOfAll = new Uint8Array(FIRST_SIZE * WORD_BYTES);
  let known = new DataView(bytesOfAll.buffer);
  /** Where the bytes of each place begin, and then where the next ones will. */
  let starts = new Uint32Array(2 * FIRST_SIZE);
  let hashes = new Uint32Array(FIRST_SIZE);
  /** Places, counted from 1. At most half of the slots are filled. */
  let slots = new Uint32Array(2 * FIRST_SIZE);
  let size = 0;

  const isAt = (place: number, bytes: DataView, from: number, length: number): boolean => {
    const start = starts[place] ?? 0;
    if ((starts[place + 1] ?? 0) - start !== length) return false;
    const last = length - WORD_BYTES;
    for (let at = 0; at < last; at += WORD_BYTES) {
      if (known.getInt32(start + at) !== bytes.getInt32(from + at)) return false;
    }
    return known.getInt32(start + last) === bytes.getInt32(from + last);
  };

  const add = (slot: number, hash: number, bytes: Uint8Array) => {
    const start = starts[size] ?? 0;
    while (start + bytes.length > bytesOfAll.length) {
      bytesOfAll = larger(bytesOfAll);
      known = new DataView(bytesOfAll.buffer);
    }
    bytesOfAll.set(bytes, start);
    hashes[size] = hash;
    size += 1;
    starts[size] = start + bytes.length;
    slots[slot] = size;
    if (size === hashes.length) grow();
  };

  const grow = () => {
    [starts, hashes] = [larger(starts), larger(hashes)];
    slots = new Uint32Array(2 * slots.length);
    const last = slots.length - 1;
    for (let place = 0; place < size; place += 1) {
      let slot = (hashes[place] ?? 0) & last;
      while (slots[slot] !== 0) slot = (slot + 1) & last;
      slots[slot] = place + 1;
    }
  };

  return {
    placeOf(bytes, from, to) {
      const hash = hashOf(bytes, from, to);
      const last = slots.length - 1;
      for (let slot = hash & last; ; slot = (slot + 1) & last) {
        const place = (slots[slot] ?? 0) - 1;
        if (place < 0) {
          add(slot, hash, new Uint8Array(bytes.buffer, bytes.byteOffset + from, to - from));
          return size - 1;
        }
        if (hashes[place] === hash && isAt(place, bytes, from, to - from)) return place;
      }
    },
  };
}

/** Odd, so that no bits are lost, and secret: visitors choose the strings, and must not choose their slots. */
const SECRET = randomBytes(2 * WORD_BYTES);
const [FIRST_MIX, SECOND_MIX] = [SECRET.readInt32LE() | 1, SECRET.readInt32LE(WORD_BYTES) | 1];

function hashOf(bytes: DataView, from: number, to: number): number {
  const last = to - WORD_BYTES;
  let hash = FIRST_MIX;
  for (let at = from; at < last; at += WORD_BYTES) hash = mix(hash, bytes.getInt32(at));
  hash = mix(hash, bytes.getInt32(last));
  return (hash ^ (hash >>> 15)) >>> 0;
}

function mix(hash: number, word: number): number {
  const product = Math.imul(word, FIRST_MIX);
  const turned = (product << 15) | (product >>> 17);
  return Math.imul(hash ^ Math.imul(turned, SECOND_MIX), FIRST_MIX) ^ (hash >>> 13);
}
