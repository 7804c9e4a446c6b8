import type { HitLookups } from '@hitherto/domain/hits';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadSpammers } from '../../src/lookups/sources.ts';

describe('a referrer spammer', () => {
  let isSpamReferrer: HitLookups['isSpamReferrer'];
  beforeAll(async () => {
    isSpamReferrer = await loadSpammers();
  });

  test.each([
    ['is a host on the list', 'semalt.com'],
    ['is a host below one on the list', 'a.b.semalt.com'],
    ['is known in any letter case', 'SEMALT.com'],
    ['is known where the list has capitals', 'qiwi.xyz'],
  ])('%s: %s', (_rule, host) => {
    expect(isSpamReferrer(host)).toBe(true);
  });

  test.each([
    ['only has the same ending', 'notsemalt.com'],
    ['is above it', 'com'],
    ['is not on it', 'example.com'],
    ['is empty', ''],
  ])('is not a host that %s: %s', (_rule, host) => {
    expect(isSpamReferrer(host)).toBe(false);
  });
});
