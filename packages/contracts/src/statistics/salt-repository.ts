import { beforeEach, expect, it } from 'vitest';
import type { MakePorts, StatisticsPorts } from './support.ts';

const saltOf = (byte: number) => new Uint8Array(32).fill(byte);

/** The contract of `SaltRepository`. */
export function saltRepositoryContract(makePorts: MakePorts): void {
  let ports: StatisticsPorts;

  beforeEach(async () => {
    ports = await makePorts();
  });

  it('keeps the first salt of a day', async () => {
    expect(await ports.salts.saltOf('2026-11-20', saltOf(1))).toStrictEqual(saltOf(1));
    expect(await ports.salts.saltOf('2026-11-20', saltOf(2))).toStrictEqual(saltOf(1));
    expect(await ports.salts.saltOf('2026-11-21', saltOf(3))).toStrictEqual(saltOf(3));
  });

  it('gives all concurrent callers the same salt', async () => {
    const salts = await Promise.all([1, 2, 3, 4, 5, 6].map((byte) => ports.salts.saltOf('2026-11-20', saltOf(byte))));

    expect(new Set(salts.map((salt) => salt.join())).size).toBe(1);
  });

  it('copies the salts that it stores and returns', async () => {
    const fresh = saltOf(1);
    const given = await ports.salts.saltOf('2026-11-20', fresh);

    fresh.fill(9);
    given.fill(9);

    expect(await ports.salts.saltOf('2026-11-20', saltOf(2))).toStrictEqual(saltOf(1));
  });

  it('deletes the salts of earlier days and returns how many', async () => {
    for (const day of ['2026-11-18', '2026-11-19', '2026-11-20']) await ports.salts.saltOf(day, saltOf(1));

    expect(await ports.salts.deleteBefore('2026-11-20')).toBe(2);

    expect(await ports.salts.saltOf('2026-11-19', saltOf(2))).toStrictEqual(saltOf(2));
    expect(await ports.salts.saltOf('2026-11-20', saltOf(2))).toStrictEqual(saltOf(1));
  });
}
