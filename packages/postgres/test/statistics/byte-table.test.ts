import { randomOf } from '@hitherto/testing/random';
import { expect, it } from 'vitest';
import { createByteTable } from '../../src/statistics/columns/byte-table.ts';

it('gives equal bytes one place, and other bytes another', () => {
  const table = createByteTable();
  const places = new Map<string, number>();
  const { below } = randomOf(1);
  for (let round = 0; round < 20_000; round += 1) {
    const bytes = Buffer.from(Array.from({ length: 4 + below(7) }, () => below(3)));
    const [before, after] = [below(5), below(5)];
    const around = Buffer.concat([Buffer.alloc(before, 7), bytes, Buffer.alloc(after, 7)]);
    const view = new DataView(around.buffer, around.byteOffset, around.length);
    const known = places.get(bytes.toString('hex')) ?? places.size;
    places.set(bytes.toString('hex'), known);

    expect(table.placeOf(view, before, before + bytes.length)).toBe(known);
  }
});
