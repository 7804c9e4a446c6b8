import { beforeAll, describe, expect, it } from 'vitest';
import { addHits, addWebsite, all, aQuery, at, type MakePorts, type StatisticsPorts } from './support.ts';

/**
 * The contract of properties of events.
 *
 * @param settle what the background work does before numbers are read: it changes none
 */
export function propertiesContract(makePorts: MakePorts, settle: (ports: StatisticsPorts) => Promise<void>): void {
  let ports: StatisticsPorts;
  let websiteId: string;

  describe('propertyValues', () => {
    const properties = (property: string, source?: string) => {
      const filters = source === undefined ? [] : all({ dimension: 'source', value: source });
      return ports.statistics.propertyValues(aQuery(websiteId, { filters }), 'Signup', property, 10);
    };

    beforeAll(async () => {
      ports = await makePorts();
      ({ websiteId } = await addWebsite(ports));
      const ada = { websiteId, visitor: 1n, name: 'Signup' };
      const bob = { websiteId, visitor: 2n, name: 'Signup', source: 'nl' };
      await addHits(ports, [
        at('12:00', { ...ada, props: { plan: 'pro', seats: 1e21, trial: true } }),
        at('12:01', { ...ada, props: { plan: 'pro', seats: 0.0000001 } }),
        at('13:00', { ...ada, props: { plan: 'pro' } }),
        at('13:01', { ...ada, props: null }),
        at('12:00', { ...bob, props: { plan: 'free', é: '' } }),
        at('12:01', { ...bob, name: 'Other', props: { plan: 'none', other: 1 } }),
      ]);
      await settle(ports);
    });

    it('counts events, visits and visitors by value, without events that lack the property', async () => {
      expect((await properties('plan')).rows).toMatchObject([
        { value: 'free', visitors: 1, visits: 1, events: 1 },
        { value: 'pro', visitors: 1, visits: 2, events: 3 },
      ]);
    });

    it('counts the events of any name', async () => {
      const { rows } = await ports.statistics.propertyValues(aQuery(websiteId), undefined, 'plan', 10);

      expect(rows).toMatchObject([
        { value: 'free', visitors: 1, visits: 1, events: 1 },
        { value: 'none', visitors: 1, visits: 1, events: 1 },
        { value: 'pro', visitors: 1, visits: 2, events: 3 },
      ]);
    });

    it('writes numbers and booleans as JavaScript does', async () => {
      expect((await properties('seats')).rows.map(({ value }) => value)).toStrictEqual(['1e+21', '1e-7']);
      expect((await properties('trial')).rows.map(({ value }) => value)).toStrictEqual(['true']);
      expect((await properties('é')).rows.map(({ value }) => value)).toStrictEqual(['']);
    });

    it('counts only the visits that the filters choose', async () => {
      expect((await properties('plan', 'nl')).rows.map(({ value }) => value)).toStrictEqual(['free']);
    });

    it('has no values for a property that no event has', async () => {
      expect(await properties('nothing')).toStrictEqual({ rows: [], previous: undefined, next: undefined, total: 0 });
    });

    it('lists the properties of an event in byte order', async () => {
      expect(await ports.statistics.propertyNames(aQuery(websiteId), 'Signup')).toStrictEqual([
        'plan',
        'seats',
        'trial',
        'é',
      ]);
      expect(await ports.statistics.propertyNames(aQuery(websiteId), 'nothing')).toStrictEqual([]);
    });
  });
}
