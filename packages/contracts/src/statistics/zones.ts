import { type Day, dayOf, timeZone } from '@hitherto/domain/calendar';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { CountedHit } from '@hitherto/domain/hits';
import { aCountedHit } from '@hitherto/testing/fixtures';
import { beforeEach, expect, it } from 'vitest';
import { addHits, addWebsites, aQuery, type MakePorts, rebuild, type StatisticsPorts } from './support.ts';

const EAST = 'Pacific/Kiritimati';
const WEST = 'Pacific/Pago_Pago';
const LORD_HOWE = 'Australia/Lord_Howe';

/** The contract of websites in different time zones on one installation, whose own zone is UTC. */
export function zonesContract(makePorts: MakePorts, settled: (ports: StatisticsPorts) => Promise<void>): void {
  let ports: StatisticsPorts;

  beforeEach(async () => {
    ports = await makePorts();
  });

  /** A hit at each of these times, each of another visitor, on the days of the zone. */
  const hitsAt = (websiteId: string, zone: string, times: readonly string[]): CountedHit[] =>
    times.map((text, visitor) => {
      const time = new Date(text);
      return aCountedHit({ websiteId, visitor: BigInt(visitor), time, day: dayOf(timeZone(zone), time) });
    });
  const hoursOf = async (websiteId: string, from: Day, to = from) => {
    const hours = await ports.statistics.series(aQuery(websiteId, { from, to }), 'hour');
    return hours.map(({ start, visits }) => [new Date(start).toISOString(), visits]);
  };
  const daysOf = async (websiteId: string, from = '2026-01-01', to = '2026-12-31') => {
    const days = await ports.statistics.series(aQuery(websiteId, { from, to }), 'day');
    return days.map(({ start, visits }) => [start, visits]);
  };

  it('each has its own days, though their hits come at the same instants', async () => {
    const zones = [EAST, WEST, null];
    const websites = await addWebsites(ports, zones);
    // Around midnight at +14, in UTC, and at -11.
    const times = ['09:59', '10:00', '23:59'].map((time) => `2026-11-20T${time}:00Z`);
    const later = ['00:00', '10:59', '11:00'].map((time) => `2026-11-21T${time}:00Z`);
    const batch = websites.flatMap((id, index) => hitsAt(id, zones[index] ?? 'UTC', [...times, ...later]));
    await addHits(ports, batch);
    await settled(ports);

    const days = [];
    for (const id of websites) days.push(await daysOf(id));

    expect(days).toEqual([
      [
        ['2026-11-20', 1],
        ['2026-11-21', 3],
        ['2026-11-22', 2],
      ],
      [
        ['2026-11-19', 2],
        ['2026-11-20', 3],
        ['2026-11-21', 1],
      ],
      [
        ['2026-11-20', 3],
        ['2026-11-21', 3],
      ],
    ]);
  });

  it('hours begin when the clock of the website shows them, also after a rebuild', async () => {
    // Around midnight, and where clocks change.
    const cases = [
      { zone: EAST, day: '2026-11-21', starts: ['2026-11-20T10:00:00.000Z', '2026-11-21T09:00:00.000Z'] },
      { zone: WEST, day: '2026-11-20', starts: ['2026-11-20T11:00:00.000Z', '2026-11-21T10:00:00.000Z'] },
      { zone: 'Asia/Kolkata', day: '2026-11-20', starts: ['2026-11-19T18:30:00.000Z', '2026-11-20T17:30:00.000Z'] },
      { zone: 'Asia/Kathmandu', day: '2026-11-20', starts: ['2026-11-19T18:15:00.000Z', '2026-11-20T17:15:00.000Z'] },
      { zone: 'Europe/Berlin', day: '2026-03-29', starts: ['2026-03-28T23:00:00.000Z', '2026-03-29T01:00:00.000Z'] },
      { zone: 'Europe/Berlin', day: '2026-10-25', starts: ['2026-10-25T00:00:00.000Z', '2026-10-25T01:00:00.000Z'] },
      { zone: LORD_HOWE, day: '2026-10-04', starts: ['2026-10-03T14:30:00.000Z', '2026-10-03T16:00:00.000Z'] },
      { zone: LORD_HOWE, day: '2026-04-05', starts: ['2026-04-04T14:00:00.000Z', '2026-04-04T15:30:00.000Z'] },
      // Clocks went forward by half an hour, in the middle of an hour.
      { zone: 'America/Caracas', day: '2016-05-01', starts: ['2016-05-01T06:30:00.000Z', '2016-05-01T07:00:00.000Z'] },
    ] as const;
    const websites = await addWebsites(
      ports,
      cases.map(({ zone }) => zone),
    );
    // They are summarised together, and with websites that have hits on days of other hours.
    const others = await addWebsites(ports, [null, 'Asia/Kolkata', 'Asia/Kathmandu']);
    const batch = cases.flatMap(({ zone, starts }, index) => {
      const times = starts.flatMap((start) => [start, new Date(Date.parse(start) + 29 * 60_000).toISOString()]);
      return [websites[index] ?? '', ...others].flatMap((id) => hitsAt(id, zone, times));
    });
    await addHits(ports, batch);
    await settled(ports);
    const read = async () => {
      const found = [];
      for (const [index, { zone, day }] of cases.entries()) {
        const id = websites[index] ?? '';
        const year = day.slice(0, 4);
        found.push({ zone, hours: await hoursOf(id, day), days: await daysOf(id, `${year}-01-01`, `${year}-12-31`) });
      }
      return found;
    };

    const before = await read();
    await rebuild(ports);

    const expected = cases.map(({ zone, day, starts }) => ({
      zone,
      hours: starts.map((start) => [start, 2]),
      days: [[day, 4]],
    }));
    expect(before).toEqual(expected);
    expect(await read()).toEqual(expected);
  });

  it('hours begin as the clock of each website shows them, half a year apart from those of another', async () => {
    // In January, the hours of both begin at the same times; in July, those of Lord Howe half an hour later.
    const [island = ''] = await addWebsites(ports, [LORD_HOWE]);
    const [website = ''] = await addWebsites(ports, [null]);
    await addHits(ports, [
      ...hitsAt(island, LORD_HOWE, ['2026-01-15T12:10:00Z']),
      ...hitsAt(website, 'UTC', ['2026-07-15T12:10:00Z', '2026-07-15T12:50:00Z']),
    ]);

    await settled(ports);

    expect(await hoursOf(island, '2026-01-15')).toEqual([['2026-01-15T12:00:00.000Z', 1]]);
    expect(await hoursOf(website, '2026-07-15')).toEqual([['2026-07-15T12:00:00.000Z', 2]]);
  });

  it('a change of the zone affects later hits only', async () => {
    const [websiteId = ''] = await addWebsites(ports, [EAST]);
    await addHits(ports, hitsAt(websiteId, EAST, ['2026-11-20T09:59:00Z', '2026-11-20T10:00:00Z']));
    await settled(ports);
    const before = await daysOf(websiteId);

    await changeZone(ports, websiteId, 'Asia/Kolkata');
    const after = await daysOf(websiteId);
    await addHits(ports, hitsAt(websiteId, 'Asia/Kolkata', ['2026-11-20T18:29:00Z', '2026-11-20T18:30:00Z']));
    await settled(ports);

    expect(before).toEqual([
      ['2026-11-20', 1],
      ['2026-11-21', 1],
    ]);
    expect(after).toEqual(before);
    expect(await daysOf(websiteId)).toEqual([
      ['2026-11-20', 2],
      ['2026-11-21', 2],
    ]);
    expect((await hoursOf(websiteId, '2026-11-21')).at(-1)).toEqual(['2026-11-20T18:30:00.000Z', 1]);
  });

  it.each([EAST, 'Pacific/Niue'])('visitors of the last minutes stay after a change from %s', async (zone) => {
    const [websiteId = ''] = await addWebsites(ports, [zone]);
    await addHits(ports, hitsAt(websiteId, zone, ['2026-11-20T11:00:00Z', '2026-11-20T23:50:00Z']));
    await settled(ports);

    await changeZone(ports, websiteId, 'UTC');

    for (const [since, until] of [
      ['2026-11-20T10:50:00Z', '2026-11-20T11:05:00Z'],
      ['2026-11-20T23:45:00Z', '2026-11-20T23:55:00Z'],
    ]) {
      const span = [new Date(String(since)), new Date(String(until))] as const;
      expect(await ports.statistics.visitorsBetween(websiteId, ...span)).toBe(1);
      expect((await ports.statistics.live(websiteId, ...span, 5)).visitors).toBe(1);
    }
  });
}

/** Changes the time zone of a website. */
async function changeZone(ports: StatisticsPorts, websiteId: string, zone: string): Promise<void> {
  const entry = await ports.directory.findById(websiteId);
  if (entry === undefined) throw new Error('There is such a website.');
  const { accountId, website } = entry;
  const changed = { ...website, timeZone: zone, updatedAt: new Date(website.updatedAt.getTime() + 1) };
  await ports.websites.replace(accountId, changed, website.updatedAt, UNRECORDED);
}
