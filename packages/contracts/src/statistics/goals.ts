import type { CountedGoal } from '@hitherto/domain/engine';
import { bareDetails, MAX_VALUES_PER_DAY, OTHER_VALUES } from '@hitherto/domain/hits';
import { allOf } from '@hitherto/domain/visits';
import { newId } from '@hitherto/outside/system';
import { beforeEach, describe, expect, it } from 'vitest';
import { addHits, addWebsite, all, aQuery, at, type MakePorts, type StatisticsPorts } from './support.ts';

const SIGNUP: CountedGoal = { id: 'signup', rule: { event: 'Signup', props: {} }, sum: 'amount' };

/**
 * The contract of goals and funnels.
 *
 * @param settle what the background work does before numbers are read: it changes none
 */
export function goalsContract(makePorts: MakePorts, settle: (ports: StatisticsPorts) => Promise<void>): void {
  let ports: StatisticsPorts;
  let websiteId: string;

  const signup = (time: string, visitor: bigint, props: Record<string, string | number> = {}) =>
    at(time, { websiteId, visitor, name: 'Signup', props });

  beforeEach(async () => {
    ports = await makePorts();
    ({ websiteId } = await addWebsite(ports));
  });

  describe('goals', () => {
    it('count visitors, visits, conversions and an exact sum', async () => {
      await addHits(ports, [
        signup('10:00', 1n, { amount: 0.1 }),
        signup('10:01', 1n, { amount: '0.2' }),
        signup('12:00', 1n, { amount: '+.005' }),
        signup('10:00', 2n, { amount: '1e3' }),
        signup('10:00', 3n, { amount: 'pro' }),
        at('10:00', { websiteId, visitor: 4n, page: '/checkout/1' }),
      ]);
      await settle(ports);

      const goals = await ports.statistics.goals(aQuery(websiteId), [
        SIGNUP,
        { id: 'checkout', rule: { page: '/checkout/*' }, sum: null },
        { id: 'amount', rule: { event: 'Signup', props: { amount: '0.1' } }, sum: 'gone' },
      ]);

      expect(goals).toStrictEqual([
        { visitors: 3, visits: 4, conversions: 5, sum: '0.31', days: [{ day: '2026-11-20', conversions: 5 }] },
        { visitors: 1, visits: 1, conversions: 1, sum: null, days: [{ day: '2026-11-20', conversions: 1 }] },
        { visitors: 1, visits: 1, conversions: 1, sum: '0.00', days: [{ day: '2026-11-20', conversions: 1 }] },
      ]);
    });

    it('of pageviews that reached a place and a time count those alone, whenever that was told', async () => {
      const pageview = (visitor: bigint, view: number, page = '/blog/a') =>
        at('10:00', { websiteId, visitor, view, page });
      const measure = (visitor: bigint, view: number, seconds: number, scroll: number) => {
        const { time, day } = at('10:05');
        return { ...bareDetails('', ''), websiteId, time, day, visitor, view, measure: { seconds, scroll } };
      };
      const rule = { page: '/blog/*', scroll: 75, seconds: 30 };
      const goals: CountedGoal[] = [
        { id: 'read', rule, sum: null },
        { id: 'seen', rule: { page: '/blog/*', scroll: 75 }, sum: null },
        { id: 'stayed', rule: { page: '*', seconds: 1 }, sum: null },
      ];
      await addHits(ports, [pageview(1n, 1), pageview(1n, 2), pageview(2n, 1), pageview(3n, 1, '/'), pageview(4n, 1)]);
      await addHits(ports, [measure(1n, 1, 30, 75), measure(1n, 2, 90, 74), measure(2n, 1, 29, 100)]);
      await addHits(ports, [measure(3n, 1, 1_800, 100)]);
      const read = async () =>
        (await ports.statistics.goals(aQuery(websiteId), goals)).map(({ visitors, conversions }) => [
          visitors,
          conversions,
        ]);
      await settle(ports);

      expect(await read()).toStrictEqual([
        [1, 1],
        [2, 2],
        [3, 4],
      ]);
      // The greatest of each number count, whichever message told it.
      await addHits(ports, [measure(1n, 2, 5, 80), measure(2n, 1, 31, 0)]);
      await settle(ports);
      expect(await read()).toStrictEqual([
        [2, 3],
        [2, 3],
        [3, 4],
      ]);
      const filters = allOf([{ kind: 'goal', isNegated: false, goals: ['read'] }]);
      expect(
        await ports.statistics.totals(aQuery(websiteId, { filters, goals: new Map([['read', rule]]) })),
      ).toMatchObject({ visitors: 2, pageviews: 3 });
      expect(
        await ports.statistics.conversions(aQuery(websiteId), { id: 'read', rule, sum: null }, 'day'),
      ).toMatchObject([{ visitors: 2, conversions: 3 }]);
    });

    it('leave numbers that JavaScript writes with an exponent out of the sum', async () => {
      await addHits(ports, [
        signup('10:00', 1n, { amount: 1e21 }),
        signup('10:01', 1n, { amount: -1e-7 }),
        signup('10:02', 1n, { amount: 100_000_000_000_000_000_000 }),
        signup('10:03', 1n, { amount: '2E1' }),
        signup('10:04', 1n, { amount: '-.5' }),
      ]);
      await settle(ports);

      const [goal] = await ports.statistics.goals(aQuery(websiteId), [SIGNUP]);

      expect(goal).toMatchObject({ conversions: 5, sum: '99999999999999999999.50' });
    });

    it('have the conversions of each day, in order of time', async () => {
      const on = (day: string, hit: ReturnType<typeof signup>) => ({ ...hit, day, time: new Date(`${day}T10:00:00Z`) });
      await addHits(ports, [
        on('2026-11-22', signup('10:00', 1n)),
        on('2026-11-20', signup('10:00', 1n)),
        on('2026-11-20', signup('10:00', 2n)),
        on('2026-11-21', at('10:00', { websiteId, visitor: 1n })),
      ]);
      await settle(ports);

      const [goal] = await ports.statistics.goals(aQuery(websiteId, { from: '2026-11-19', to: '2026-11-22' }), [
        SIGNUP,
      ]);

      expect(goal?.days).toStrictEqual([
        { day: '2026-11-20', conversions: 2 },
        { day: '2026-11-22', conversions: 1 },
      ]);
    });

    it('count the chosen visits alone', async () => {
      await addHits(ports, [
        at('10:00', { websiteId, visitor: 1n, country: 'DE' }),
        signup('10:01', 1n),
        { ...signup('10:00', 2n), country: 'FR' },
      ]);
      await settle(ports);

      const [goal] = await ports.statistics.goals(
        aQuery(websiteId, { filters: all({ dimension: 'country', value: 'DE' }) }),
        [SIGNUP],
      );

      expect(goal?.conversions).toBe(1);
    });

    it('end with the hits that are deleted', async () => {
      await addHits(ports, [signup('10:00', 1n)]);
      await settle(ports);
      for (let calls = 0; calls < 20; calls += 1) await ports.maintenance.deleteHitsBefore('2026-11-21');

      expect(await ports.statistics.goals(aQuery(websiteId), [SIGNUP])).toMatchObject([
        { conversions: 0, sum: '0.00' },
      ]);
    });

    it('of an unknown website are nothing', async () => {
      const query = aQuery(newId());

      expect(await ports.statistics.goals(query, [SIGNUP])).toMatchObject([{ visitors: 0, sum: '0.00' }]);
      expect(await ports.statistics.funnel(query, { steps: [SIGNUP.rule], isStrict: false })).toStrictEqual([
        { visits: 0, visitors: 0 },
      ]);
      expect(await ports.statistics.conversions(query, SIGNUP, 'total')).toStrictEqual([]);
    });
  });

  describe('a literal of more than 64 characters', () => {
    const [A, B] = ['ä'.repeat(40) + 'a'.repeat(40), 'b'.repeat(80)];
    const PAGES = [`/${A}`, `/${A}/${B}`, `/${B}/${A}`, `/${A}/${A}/x/${B}`, `/${A.slice(1)}`, `/${A}/${B}/c`];

    it('is found wherever it stands', async () => {
      const cases: readonly [string, 'contains' | 'like', string, number[]][] = [
        ['is contained, without regard to case', 'contains', A.toUpperCase().replaceAll('Ä', 'ä'), [0, 1, 2, 3, 5]],
        ['is not contained, but for its end', 'contains', `${A}a`, []],
        ['ends a value', 'like', `*${A}`, [0, 2]],
        ['stands at the end and in the middle', 'like', `*${A}*${B}`, [1, 3]],
        ['occurs once where it is wanted twice', 'like', `*${A}*${A}*`, [3]],
        ['overlaps itself', 'like', `*${A.slice(1)}*${A}`, []],
        ['comes after a start', 'like', `/${A}/*${B}*`, [1, 3, 5]],
        ['comes after a part, with an escape', 'like', `*/*\\\\${A}*`, []],
        ['comes after short parts', 'like', `*/*x*/${B}`, [3]],
        ['is all of a value but the start', 'like', `/*${A.slice(1)}`, [0, 2, 4]],
      ];
      await addHits(
        ports,
        PAGES.map((page, visitor) => at('10:00', { websiteId, visitor: BigInt(visitor), page })),
      );
      await settle(ports);

      for (const [name, comparator, value, found] of cases) {
        const filter = { kind: 'dimension', dimension: 'page', comparator, isNegated: false, values: [value] } as const;
        const query = aQuery(websiteId, { filters: [{ match: 'all', filters: [filter] }] });

        const { rows } = await ports.statistics.values(query, 'page', 10);

        expect(rows.map((row) => PAGES.indexOf(row.value ?? '')).sort(), name).toEqual(found);
      }
    });

    it('is found by the pattern of a goal', async () => {
      await addHits(ports, [at('10:00', { websiteId, visitor: 1n, page: `/${A}/${B}` })]);
      await settle(ports);
      const goals = [`*${A}*`, `/*${B}`, `*${B}*${A}*`].map((page) => ({ id: page, rule: { page }, sum: null }));

      const found = await ports.statistics.goals(aQuery(websiteId), goals);

      expect(found.map(({ conversions }) => conversions)).toEqual([1, 1, 0]);
    });
  });

  describe('a funnel', () => {
    it('counts the visits that reach each step in order', async () => {
      await addHits(ports, [
        at('10:00', { websiteId, visitor: 1n, page: '/product/1' }),
        signup('10:01', 1n),
        at('10:02', { websiteId, visitor: 1n, page: '/thanks' }),
        at('12:00', { websiteId, visitor: 1n, page: '/product/2' }),
        signup('10:00', 2n),
        at('10:01', { websiteId, visitor: 2n, page: '/product/1' }),
      ]);
      await settle(ports);

      const steps = await ports.statistics.funnel(aQuery(websiteId), {
        steps: [{ page: '/product/*' }, { event: 'Signup', props: {} }, { page: '/thanks' }],
        isStrict: false,
      });

      expect(steps).toStrictEqual([
        { visits: 3, visitors: 2 },
        { visits: 1, visitors: 1 },
        { visits: 1, visitors: 1 },
      ]);
    });

    it('counts steps of a strict funnel only without other pages between them', async () => {
      await addHits(ports, [
        at('10:00', { websiteId, visitor: 1n, page: '/product/1' }),
        signup('10:01', 1n, {}),
        at('10:02', { websiteId, visitor: 1n, page: '/thanks' }),
        at('10:00', { websiteId, visitor: 2n, page: '/product/1' }),
        at('10:01', { websiteId, visitor: 2n, page: '/help' }),
        at('10:02', { websiteId, visitor: 2n, page: '/thanks' }),
        at('10:03', { websiteId, visitor: 2n, page: '/product/2' }),
        at('10:04', { websiteId, visitor: 2n, page: '/thanks' }),
        at('10:00', { websiteId, visitor: 3n, page: '/product/1' }),
        at('10:01', { websiteId, visitor: 3n, page: '/help' }),
        at('10:02', { websiteId, visitor: 3n, page: '/thanks' }),
      ]);
      await settle(ports);

      const steps = await ports.statistics.funnel(aQuery(websiteId), {
        steps: [{ page: '/product/*' }, { page: '/thanks' }],
        isStrict: true,
      });

      expect(steps).toStrictEqual([
        { visits: 3, visitors: 3 },
        { visits: 2, visitors: 2 },
      ]);
    });

    it('tells events of the same instant apart by their properties', async () => {
      await addHits(ports, [signup('10:00', 1n, { plan: 'b' }), signup('10:00', 1n, { plan: 'a' })]);
      await settle(ports);
      const step = (plan: string) => ({ event: 'Signup', props: { plan } });

      const reached = async (...plans: string[]) =>
        (await ports.statistics.funnel(aQuery(websiteId), { steps: plans.map(step), isStrict: false })).map(
          ({ visits }) => visits,
        );

      expect(await reached('a', 'b')).toStrictEqual([1, 1]);
      expect(await reached('b', 'a')).toStrictEqual([1, 0]);
    });
  });

  describe('conversions', () => {
    it('belong to the hour in which their visit begins', async () => {
      await addHits(ports, [at('10:50', { websiteId, visitor: 1n }), signup('11:05', 1n)]);
      await settle(ports);

      expect(await ports.statistics.conversions(aQuery(websiteId), SIGNUP, 'hour')).toStrictEqual([
        { key: new Date('2026-11-20T10:00:00.000Z'), visitors: 1, conversions: 1 },
      ]);
    });

    it('are those of the values that are wanted', async () => {
      await addHits(ports, [
        at('10:00', { websiteId, visitor: 1n, page: '/a' }),
        at('10:01', { websiteId, visitor: 1n, page: '/b' }),
        signup('10:02', 1n),
        signup('10:03', 1n),
        at('10:00', { websiteId, visitor: 2n, page: '/a' }),
      ]);
      await settle(ports);

      expect(await ports.statistics.conversions(aQuery(websiteId), SIGNUP, 'page', ['/b', '/c', null])).toStrictEqual([
        { key: '/b', visitors: 1, conversions: 2 },
      ]);
    });

    it('of rare values are folded as their list is', async () => {
      const page = (index: number) => `/${String(index).padStart(5, '0')}`;
      await addHits(ports, [
        ...Array.from({ length: MAX_VALUES_PER_DAY + 2 }, (_, index) =>
          at('12:00', { websiteId, visitor: 1n, page: page(index) }),
        ),
        signup('12:01', 1n),
      ]);
      await settle(ports);

      const found = await ports.statistics.conversions(aQuery(websiteId), SIGNUP, 'page', [
        page(0),
        page(MAX_VALUES_PER_DAY),
        OTHER_VALUES,
      ]);

      expect(found.toSorted((a, b) => (String(a.key) < String(b.key) ? -1 : 1))).toStrictEqual([
        { key: OTHER_VALUES, visitors: 1, conversions: 1 },
        { key: page(0), visitors: 1, conversions: 1 },
      ]);
    });
  });
}
