import { expect, it, onTestFinished, vi } from 'vitest';
import { newId } from '../src/system.ts';

it('makes UUIDv7 ids in lower case, each greater than the one before', () => {
  const ids = Array.from({ length: 10_000 }, newId);

  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(ids).toEqual([...new Set(ids)].toSorted());
});

it('makes greater ids even after the clock has stepped back', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const before = newId();
  vi.setSystemTime(Date.now() - 24 * 60 * 60 * 1_000);

  expect(newId() > before).toBe(true);
});
