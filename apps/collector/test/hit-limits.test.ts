import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ID, serveCollector, URL_OF_PAGE } from './support/collector.ts';

// tracker.md: the limit per client address and website.

const HIT = { website: ID, url: URL_OF_PAGE };

describe('limits', () => {
  /** Sends this many hits from each address concurrently. Returns the rejections. */
  async function rejectionsOf(count: number, ...addresses: string[]) {
    const { send } = await serveCollector({ isLimited: true });
    const responses = await Promise.all(
      Array.from({ length: count }, () => addresses.map((remoteAddress) => send(HIT, {}, { remoteAddress }))).flat(),
    );
    return responses.filter(({ status }) => status === 429);
  }

  test('300 hits at once are accepted, then 429 with Retry-After, and 50 more each second', async () => {
    // The clock of the limit stands still unless it is set.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => clock.mockRestore());
    const { send } = await serveCollector({ isLimited: true });
    const sendAll = async (count: number) => {
      const sent = Array.from({ length: count }, () => send(HIT, {}, { remoteAddress: '198.51.100.7' }));
      const responses = await Promise.all(sent);
      const rejected = responses.filter(({ status }) => status === 429);
      return { accepted: responses.filter(({ status }) => status === 202).length, rejected };
    };

    // Hits that arrive before the website is known count for no website.
    await send(HIT, {}, { remoteAddress: '198.51.100.8' });
    const { accepted, rejected } = await sendAll(302);
    clock.mockReturnValue(1_000);
    const aSecondLater = await sendAll(60);
    clock.mockReturnValue(61_000);
    const aMinuteLater = await sendAll(310);

    expect([accepted, rejected.length]).toEqual([300, 2]);
    expect(rejected[0]?.headers).toMatchObject({ 'retry-after': '1', 'access-control-allow-origin': '*' });
    expect([aSecondLater.accepted, aMinuteLater.accepted]).toEqual([50, 300]);
  });

  test('each address has its own limit', async () => {
    const rejected = await rejectionsOf(200, '198.51.100.7', '198.51.100.8', '2001:db8::1', '2001:db8:0:1::1');

    expect(rejected).toEqual([]);
  });

  test('IPv6 addresses of one /64 share a limit', async () => {
    const rejected = await rejectionsOf(400, '2001:db8::1', '2001:db8::ffff');

    expect(rejected.length).toBeGreaterThan(0);
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
