import { expect, test } from 'vitest';
import { openHitLookups } from '../../src/lookups/index.ts';
import { AGENTS } from './agents.ts';

test('every lookup works with the default files', async () => {
  const lookups = await openHitLookups();

  expect(lookups.isBot('Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)')).toBe(true);
  expect(lookups.deviceOf('curl/8.14.1')).toEqual({ browser: null, os: null, device: 'other' });
  expect(lookups.countryOf('193.0.6.139')).toBe('NL');
  expect(lookups.sourceOf('google.de')).toEqual({ name: 'Google', channel: 'Search' });
  expect(lookups.isSpamReferrer('semalt.com')).toBe(true);
});

test('a lookup is the same for a string that was seen before, whatever its length', async () => {
  const lookups = await openHitLookups();
  const agents = AGENTS.flatMap(([agent]) => [agent, agent + ' x'.repeat(1_000)]);

  const [first, second] = [1, 2].map(() => agents.map((agent) => [lookups.isBot(agent), lookups.deviceOf(agent)]));

  expect(second).toEqual(first);
});

test.each([
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
  'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/142.0.0.0 Safari/537.36',
  'curl/8.14.1',
  'python-requests/2.32.3',
])('%s is a bot', async (agent) => {
  const { isBot } = await openHitLookups();

  expect(isBot(agent)).toBe(true);
});

test('no browser is a bot', async () => {
  const { isBot } = await openHitLookups();

  const bots = AGENTS.filter(([agent, browser]) => browser !== null && isBot(agent));

  expect(bots).toEqual([]);
});

test('a country file that cannot be read is reported by name', async () => {
  await expect(openHitLookups({ countryFile: '/nowhere/x.mmdb' })).rejects.toThrow(/\/nowhere\/x\.mmdb cannot be read/);
});
