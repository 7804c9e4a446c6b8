import type { Day } from '@hitherto/domain/calendar';
import type { GoalRules, LiveCounts, VisitSet } from '@hitherto/domain/visits';
import { LRUCache } from 'lru-cache';
import { type Choice, compileChoice } from '../columns/choose.ts';
import type { Counter } from '../columns/counter.ts';
import type { DayHits } from '../columns/day-hits.ts';
import type { HitRow } from '../columns/hit-rows.ts';
import { addLive } from '../columns/live.ts';
import type { Question } from '../columns/question.ts';
import type { Turns } from '../columns/turns.ts';
import type { VisitColumns } from '../columns/visit-columns.ts';
import { findVisits, sortedHits, visitsOfHits } from '../columns/visits-of-hits.ts';

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
  extend(turns: Turns, read: (add: (row: HitRow) => void) => Promise<void>): Promise<number>;
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

export function createCountedHits(hits: DayHits): CountedHits {
  const answers = new LRUCache<string, Answer>({ max: MAX_ANSWERS });
  let whole: VisitColumns | undefined;

  const countVisits = async (visits: VisitColumns, { choice, counter }: Answer, sign: 1 | -1, turns: Turns) => {
    turns.begin();
    counter.add(visits, await choice.choose(visits, turns.pass), sign);
    await turns.end();
  };

  const allVisits = async (turns: Turns): Promise<VisitColumns> => {
    if (whole !== undefined) return whole;
    turns.begin();
    whole = visitsOfHits(hits);
    await turns.end();
    return whole;
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
        : await compileChoice(filters, goals).choose(visitsOfHits(hits, { visitors }), turns.pass);
    const visits = chosen.filter((visit) => order.subarray(starts[visit], starts[visit + 1]).some(isBetween));
    await turns.end();
    return { visits, order, starts, isBetween };
  };

  return {
    day: hits.day,
    bytes: () => hits.bytes() + (whole?.visits ?? 0) * VISIT_BYTES + answers.size * ANSWER_BYTES,

    async count<Result>(question: Question<Result>, { filters, goals, until }: ChosenBy, turns: Turns) {
      const key = JSON.stringify([question.name, filters, [...goals]]);
      const counter = question.counter();
      const visits = until === undefined ? undefined : visitsOfHits(hits, { until: until.getTime() });
      if (visits !== undefined) {
        await countVisits(visits, { choice: compileChoice(filters, goals), counter }, 1, turns);
        return counter.result();
      }
      const known = question.name === undefined ? undefined : answers.get(key);
      // The key has the name of the question.
      if (known !== undefined) return known.counter.result() as Result;
      const answer = { choice: compileChoice(filters, goals), counter };
      await countVisits(await allVisits(turns), answer, 1, turns);
      if (question.name !== undefined) answers.set(key, answer);
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
      addLive(counts, hits, { visits, order, starts, isBetween });
      await turns.end();
    },

    async extend(turns, read) {
      const before = hits.size();
      const visitors = new Set<number>();
      await read((row) => {
        hits.add(row);
        visitors.add(hits.visitorOf(hits.size() - 1));
      });
      whole = undefined;
      const added = hits.size() - before;
      if (visitors.size > MAX_CHANGED * hits.visitors.size()) {
        answers.clear();
        return added;
      }
      const changed = Uint32Array.from(visitors);
      const [old, now] = [
        visitsOfHits(hits, { visitors: changed, hits: before }),
        visitsOfHits(hits, { visitors: changed }),
      ];
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
