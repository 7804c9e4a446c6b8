import { describe, expect, test } from 'vitest';
import type { Contents, Definition, DefinitionKind } from '../../src/definitions/definition.ts';
import { resolveFilters, segmentFaults } from '../../src/definitions/resolve-filters.ts';
import { parseNewSegment } from '../../src/definitions/segments.ts';
import { readFilters } from '../../src/visits/read-filters.ts';
import type { WebsiteKey } from '../../src/websites/website-key.ts';
import { named } from '../faults.ts';

const WEBSITE = { accountId: 'account', websiteId: 'website' };
const SIGNUP = { event: 'Signup', props: {} };
const filtersOf = (parameters: Record<string, string[]>) => Object.entries(parameters);

function aDefinition<Kind extends DefinitionKind>(id: string, content: Contents[Kind]): Definition<Kind> {
  const at = new Date('2026-11-20T12:00:00.000Z');
  return { id, name: id, content, createdAt: at, updatedAt: at };
}

function aSegment(id: string, parameters: Record<string, string[]>): Definition<'segment'> {
  return aDefinition<'segment'>(id, parseNewSegment({ name: id, filters: filtersOf(parameters) }).content);
}

/** A website with these segments and the goal `signup`, and the ids that were looked up. */
function aWebsite(...segments: Definition<'segment'>[]) {
  const looked: string[] = [];
  const goals = [aDefinition<'goal'>('signup', { rule: SIGNUP, sum: null })];
  const findIn =
    <Kind extends DefinitionKind>(kind: Kind, stored: readonly Definition<Kind>[]) =>
    async (_website: WebsiteKey, ids: readonly string[]) => {
      looked.push(`${kind} ${ids.join()}`);
      return stored.filter(({ id }) => ids.includes(id));
    };
  const definitions = {
    segment: { findAll: findIn('segment', segments) },
    goal: { findAll: findIn('goal', goals) },
  };
  const deps = { definitions };
  const ask = (parameters: Record<string, string[]>) =>
    resolveFilters(deps, WEBSITE, readFilters(filtersOf(parameters), true), 'any');
  return { deps, ask, looked };
}

describe('resolveFilters', () => {
  test('reads nothing for a request that names nothing, and leaves out empty sets', async () => {
    const website = aWebsite();

    expect(await website.ask({})).toEqual({ filters: [], goals: new Map(), faults: [] });
    expect((await website.ask({ country: ['DE'] })).filters).toMatchObject([{ match: 'any', filters: [{}] }]);
    expect(website.looked).toEqual([]);
  });

  test("adds the segment's filters, with their own match, as a set of their own", async () => {
    const website = aWebsite(aSegment('germany', { country: ['DE'] }));

    const both = await website.ask({ segment: ['GERMANY'], os: ['Linux'] });
    const alone = await website.ask({ segment: ['germany'] });

    expect(both.filters.map(({ match, filters }) => [match, filters.length])).toEqual([
      ['any', 1],
      ['all', 1],
    ]);
    expect(alone.filters.map(({ match }) => match)).toEqual(['all']);
    expect(website.looked).toEqual(['segment germany', 'segment germany']);
  });

  test('looks up the goals of request and segment at once', async () => {
    const website = aWebsite(aSegment('fans', { 'goal.not': ['signup'] }));

    const { goals, filters } = await website.ask({ segment: ['fans'], goal: ['Signup'] });

    expect(goals).toEqual(new Map([['signup', SIGNUP]]));
    expect(filters).toHaveLength(2);
    expect(website.looked).toEqual(['segment fans', 'goal signup']);
  });

  test('names the parameters with unknown goals and segments, and leaves their filters out', async () => {
    const { filters, faults } = await aWebsite().ask({
      'goal.not': ['signup', 'gone'],
      goal: [''],
      segment: ['gone'],
      os: ['Linux'],
    });

    expect(named(faults)).toEqual(['goal.not unknown_goal', 'goal unknown_goal', 'segment unknown_segment']);
    expect(filters.flatMap((set) => set.filters)).toMatchObject([{ dimension: 'os' }]);
  });

  test('a segment may name a goal that was deleted: no visit reaches it', async () => {
    const website = aWebsite(aSegment('old', { goal: ['gone'] }));

    const { filters, goals, faults } = await website.ask({ segment: ['old'] });

    expect([filters.length, goals.size, faults]).toEqual([1, 0, []]);
  });
});

describe('segmentFaults', () => {
  test('names each filter with a goal that does not exist, and reads goals once', async () => {
    const segments = [
      aSegment('a', { goal: ['signup'], 'goal.not': ['gone', 'signup'] }),
      aSegment('b', { country: ['DE'] }),
    ];
    const website = aWebsite(...segments);

    const faults = await segmentFaults(website.deps, WEBSITE, segments);

    expect([...faults].map(([id, found]) => [id, named(found)])).toEqual([
      ['a', ['filters.goal.not unknown_goal']],
      ['b', []],
    ]);
    expect(website.looked).toEqual(['goal signup,gone']);
  });

  test('reads nothing where no segment names a goal', async () => {
    const website = aWebsite();

    await segmentFaults(website.deps, WEBSITE, [aSegment('b', { country: ['DE'] })]);

    expect(website.looked).toEqual([]);
  });
});
