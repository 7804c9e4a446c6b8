import { expect, test } from 'vitest';
import { openHitLookups } from '../../src/lookups/index.ts';
import { AGENTS } from './agents.ts';

test('every lookup works with the default files', async () => {
  const lookups = await openHitLookups();

  const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
  expect(lookups.crawlerOf(googlebot)).toEqual({ operator: 'Google', purpose: 'search' });
  expect(lookups.crawlerOf('Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0')).toBeUndefined();
  expect(lookups.deviceOf('curl/8.14.1')).toEqual({ browser: null, os: null, device: 'other' });
  expect(lookups.countryOf('193.0.6.139')).toBe('NL');
  expect(lookups.networkOf('88.198.4.4')).toBe('hosting');
  expect(lookups.sourceOf('google.de')).toEqual({ name: 'Google', channel: 'Search' });
  expect(lookups.isSpamReferrer('semalt.com')).toBe(true);
});

test('a lookup is the same for a string that was seen before, whatever its length', async () => {
  const lookups = await openHitLookups();
  const agents = AGENTS.flatMap(([agent]) => [agent, agent + ' x'.repeat(1_000)]);

  const [first, second] = [1, 2].map(() => agents.map((agent) => [lookups.crawlerOf(agent), lookups.deviceOf(agent)]));

  expect(second).toEqual(first);
});

test('a file of addresses that cannot be read is reported by name', async () => {
  await expect(openHitLookups({ addressFiles: ['/nowhere/x.mmdb'] })).rejects.toThrow(
    /\/nowhere\/x\.mmdb cannot be read/,
  );
});
