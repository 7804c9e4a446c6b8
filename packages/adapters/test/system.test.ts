import { expect, it } from 'vitest';
import { newId } from '../src/system.ts';

it('makes UUIDv7 ids in lower case, each greater than the one before', () => {
  const ids = Array.from({ length: 10_000 }, newId);

  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(ids).toEqual([...new Set(ids)].toSorted());
});
