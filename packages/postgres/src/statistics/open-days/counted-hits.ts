import type { Day } from '@hitherto/domain/calendar';
import type { GoalRules, LiveCounts, VisitSet } from '@hitherto/domain/visits';
import { LRUCache } from 'lru-cache';
import { type Choice, compileChoice } from '../columns/choose.ts';
import type { Chosen, Counter } from '../columns/counter.ts';
import type { DayHits } from '../columns/day-hits.ts';
import { addLive } from '../columns/live.ts';
import type { Question } from '../columns/question.ts';
import { showPages } from '../columns/show-pages.ts';
import type { VisitColumns } from '../columns/visit-columns.ts';
import { findVisits, type HitsToVisit, sortedHits, visitsOfHits } from '../columns/visits-of-hits.ts';
import type { Turns } from '../turns.ts';

/** Which visits count. */
export interface ChosenBy {
  readonly filters: readonly VisitSet[];
  /** The goals that filters name. */
  readonly goals: GoalRules;
  /** Only hits before this time count. */
  readonly until?: Date | undefined;
}

/** The hits of a day, and the answers to questions about them, which are kept up to date. */
export interface CountedHits {
  readonly day: Day;
  bytes(): number;
  /** Counts the chosen visits. */
  count<Result>(question: Question<Result>, chosen: ChosenBy, turns: Turns): Promise<Result>;
  /** The visitors of chosen visits with a hit from `since` until `until`, both included. */
  visitorsBetween(since: Date, until: Date, chosen: ChosenBy, turns: Turns): Promise<ReadonlySet<bigint>>;
  /** Adds the visitors of chosen visits with such a hit to `counts` (`countLive` in the domain). */
  countLive(counts: LiveCounts, since: Date, until: Date, chosen: ChosenBy, turns: Turns): Promise<void>;
  /** Adds the hits that `read` reads. Returns how many there were. */
  extend(turns: Turns, read: (add: DayHits['addHit']) => Promise<void>): Promise<number>;
}

/** Answers are cached for so many questions. */
const MAX_ANSWERS = 200;
/** Of a value and its numbers. */
const ANSWER_BYTES = 100;
const VISIT_BYTES = 60;
/** Everything is counted again if more than this share of the visitors has new hits. */
const MAX_CHANGED = 1 / 8;

interface Answer {
  readonly choice: Choice;
  readonly counter: Counter<unknown>;
}

interface VisitsUntil {
  /** In milliseconds; infinity for all. */
  readonly until: number;
  readonly visits: VisitColumns;
}

/** @param pageRules the rules by which pages are shown */
export function createCountedHits(hits: DayHits, pageRules: readonly string[]): CountedHits {
  const answers = new LRUCache<string, Answer>({ max: MAX_ANSWERS });
  const visitsOf = (of?: HitsToVisit) => showPages(visitsOfHits(hits, of), pageRules);
  /** The visits of all hits, and those of the hits before a moment: questions about the same ones follow each other. */
  let whole: VisitsUntil | undefined;
  let cut: VisitsUntil | undefined;
  let lastChosen: { readonly visits: VisitColumns; readonly by: string; readonly places: Chosen } | undefined;

  const countVisits = async (visits: VisitColumns, { choice, counter }: Answer, sign: 1 | -1, turns: Turns) => {
    turns.begin();
    counter.add(visits, await choice.choose(visits, turns.pass), sign);
    await turns.end();
  };

  const visitsUntil = (until = Number.POSITIVE_INFINITY): VisitColumns => {
    const known = [whole, cut].find((found) => found?.until === until);
    if (known !== undefined) return known.visits;
    const visits = visitsOf({ until });
    if (until === Number.POSITIVE_INFINITY) whole = { until, visits };
    else cut = { until, visits };
    return visits;
  };

  const choose = async (visits: VisitColumns, by: string, { choose }: Choice, turns: Turns): Promise<Chosen> => {
    if (lastChosen?.visits === visits && lastChosen.by === by) return lastChosen.places;
    const places = await choose(visits, turns.pass);
    lastChosen = { visits, by, places };
    return places;
  };

  /** The chosen visits with a hit from `since` until `until`, both included, among those of their visitors. */
  const visitsBetween = async (since: Date, until: Date, { filters, goals }: ChosenBy, turns: Turns) => {
    const [from, to] = [since.getTime(), until.getTime()];
    const isBetween = (hit: number) => hits.timeOf(hit) >= from && hits.timeOf(hit) <= to;
    turns.begin();
    const visitors = visitorsOf(hits, isBetween);
    const { order, starts } = findVisits(hits, sortedHits(hits, visitors));
    const chosen =
      filters.length === 0
        ? starts.subarray(0, -1).map((_, visit) => visit)
        : await compileChoice(filters, goals).choose(visitsOf({ visitors }), turns.pass);
    const visits = chosen.filter((visit) => {
      const end = starts[visit + 1] ?? 0;
      for (let place = starts[visit] ?? 0; place < end; place += 1) if (isBetween(order[place] ?? 0)) return true;
      return false;
    });
    await turns.end();
    return { visits, order, starts, isBetween };
  };

  return {
    day: hits.day,
    bytes() {
      const visits = [whole, cut].reduce((sum, found) => sum + (found?.visits.visits ?? 0), 0);
      return hits.bytes() + visits * VISIT_BYTES + answers.size * ANSWER_BYTES;
    },

    async count<Result>(question: Question<Result>, { filters, goals, until }: ChosenBy, turns: Turns) {
      const by = JSON.stringify([filters, [...goals]]);
      const key = `${question.name} ${by}`;
      const isKept = question.name !== undefined && until === undefined;
      const known = isKept ? answers.get(key) : undefined;
      // The key has the name of the question.
      if (known !== undefined) return known.counter.result() as Result;
      const counter = question.counter();
      const choice = compileChoice(filters, goals);
      turns.begin();
      const visits = visitsUntil(until?.getTime());
      await turns.pass();
      counter.add(visits, await choose(visits, by, choice, turns), 1);
      await turns.end();
      if (isKept) answers.set(key, { choice, counter });
      return counter.result();
    },

    async visitorsBetween(since, until, chosen, turns) {
      const { visits, order, starts } = await visitsBetween(since, until, chosen, turns);
      const visitorOf = (visit: number) => hits.visitors.visitorAt(hits.visitorOf(order[starts[visit] ?? 0] ?? 0));
      return new Set(Array.from(visits, visitorOf));
    },

    async countLive(counts, since, until, chosen, turns) {
      const { visits, order, starts, isBetween } = await visitsBetween(since, until, chosen, turns);
      turns.begin();
      addLive(counts, hits, { visits, order, starts, isBetween }, pageRules);
      await turns.end();
    },

    async extend(turns, read) {
      const before = hits.size();
      const visitors = new Set<number>();
      await read((hit) => {
        hits.addHit(hit);
        visitors.add(hits.visitorOf(hits.size() - 1));
      });
      [whole, cut, lastChosen] = [undefined, undefined, undefined];
      const added = hits.size() - before;
      if (visitors.size > MAX_CHANGED * hits.visitors.size()) {
        answers.clear();
        return added;
      }
      const changed = Uint32Array.from(visitors);
      const [old, now] = [visitsOf({ visitors: changed, hits: before }), visitsOf({ visitors: changed })];
      for (const answer of answers.values()) {
        await countVisits(old, answer, -1, turns);
        await countVisits(now, answer, 1, turns);
      }
      return added;
    },
  };
}

/** The places of the visitors of some hits. */
function visitorsOf(hits: DayHits, isChosen: (hit: number) => boolean): Uint32Array {
  const isFound = new Uint8Array(hits.visitors.size());
  const found: number[] = [];
  for (let hit = 0; hit < hits.size(); hit += 1) {
    const visitor = hits.visitorOf(hit);
    if (isFound[visitor] === 1 || !isChosen(hit)) continue;
    isFound[visitor] = 1;
    found.push(visitor);
  }
  return Uint32Array.from(found);
}
