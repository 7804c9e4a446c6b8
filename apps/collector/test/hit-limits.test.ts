import { describe, expect, test } from 'vitest';
import { ID, serveCollector, URL_OF_PAGE } from './support/collector.ts';

// statistics.md, section 2: the limit per client address and website.

const HIT = { website: ID, url: URL_OF_PAGE };

describe('limits', () => {
  /** Sends this many hits from each address concurrently. Returns how many were accepted, and the refusals. */
  async function statusesOf(count: number, ...addresses: string[]) {
    const { send } = await serveCollector({ isLimited: true });
    const responses = await Promise.all(
      Array.from({ length: count }, () => addresses.map((remoteAddress) => send(HIT, {}, { remoteAddress }))).flat(),
    );
    return {
      taken: responses.filter(({ status }) => status === 202).length,
      refused: responses.filter(({ status }) => status === 429),
    };
  }

  test('300 hits at once are accepted, then 429 with Retry-After', async () => {
    const { taken, refused } = await statusesOf(800, '198.51.100.7');

    expect(taken).toBeGreaterThanOrEqual(300);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers).toMatchObject({ 'retry-after': '1', 'access-control-allow-origin': '*' });
  });

  test('each address has its own limit', async () => {
    const { refused } = await statusesOf(200, '198.51.100.7', '198.51.100.8', '2001:db8::1', '2001:db8:0:1::1');

    expect(refused).toEqual([]);
  });

  test('IPv6 addresses of one /64 share a limit', async () => {
    const { refused } = await statusesOf(400, '2001:db8::1', '2001:db8::ffff');

    expect(refused.length).toBeGreaterThan(0);
  });

  test('unknown websites share a limit', async () => {
    const { send, directory } = await serveCollector({ isLimited: true });
    const guess = (index: number) => ({
      ...HIT,
      website: `01997c3e-0000-7000-9000-${String(index).padStart(12, '0')}`,
    });

    const responses = await Promise.all(Array.from({ length: 800 }, (_, index) => send(guess(index))));

    expect(responses.some(({ status }) => status === 429)).toBe(true);
    expect(directory.asked.length).toBeLessThan(800);
  });

  test('the spellings of a website’s address share a limit', async () => {
    const { ask } = await serveCollector({ isLimited: true });
    const post = (d: string) =>
      ask({
        method: 'POST',
        url: '/api/event',
        headers: { 'content-type': 'text/plain' },
        payload: JSON.stringify({ n: 'pageview', u: URL_OF_PAGE, d }),
      });
    await post('ex.com');

    const spellings = ['ex.com', 'ex.com/', 'https://ex.com', 'ex.com:443', ID];
    const responses = await Promise.all(Array.from({ length: 600 }, (_, index) => post(spellings[index % 5] ?? '')));

    expect(responses.some(({ status }) => status === 429)).toBe(true);
  });

  test('can be turned off', async () => {
    const { send } = await serveCollector();

    const responses = await Promise.all(Array.from({ length: 400 }, () => send(HIT)));

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]));
  });
});
