import type { Day } from '@hitherto/domain/calendar';
import { type LiveCounts, noLiveCounts } from '@hitherto/domain/visits';
import type { Transaction } from '../../connection/transaction.ts';
import { cacheCounts } from '../book/cached-counts.ts';
import { countColumns, type Scope } from '../book/count.ts';
import { readColumns } from '../book/read.ts';
import { compileChoice } from '../columns/choose.ts';
import { cutVisits } from '../columns/cut-visits.ts';
import type { PartVisits } from '../columns/part.ts';
import type { Question } from '../columns/question.ts';
import { showPages } from '../columns/show-pages.ts';
import type { VisitColumns } from '../columns/visit-columns.ts';
import type { VisitDays } from '../days/day-forms.ts';
import type { CountedHits } from '../open-days/counted-hits.ts';
import { createLookedAtDays } from '../open-days/looked-at.ts';
import { createOpenDays } from '../open-days/open-days.ts';
import { startTurns, type Turns } from '../turns.ts';

/** The visits of a day that is counted from its hits. */
export interface OpenDay {
  readonly day: Day;
  count<Result>(question: Question<Result>): Promise<Result>;
}

/** Counts visits, and caches hits and answers. */
export interface VisitCounts {
  /** Counts the chosen visits of all these days. */
  count<Results extends readonly unknown[]>(
    transaction: Transaction,
    days: VisitDays,
    questions: Questions<Results>,
  ): Promise<Results>;
  /** As {@link count}, for answers that are worth to be cached day by day: they are small, and asked for again. */
  countAgain<Result extends object>(
    transaction: Transaction,
    days: VisitDays,
    questions: readonly Question<Result>[],
  ): Promise<readonly Result[]>;
  /** Counts the visitors of the chosen visits with a hit from `since` until `until`, both included. */
  visitorsBetween(transaction: Transaction, days: VisitDays, since: Date, until: Date): Promise<number>;
  /** Counts them by minute and by values (`countLive` in the domain), if the moments are at most half an hour apart. */
  live(transaction: Transaction, days: VisitDays, since: Date, until: Date): Promise<LiveCounts>;
  /** Yields the days that are counted from their hits. */
  openDays(transaction: Transaction, days: VisitDays): AsyncIterable<OpenDay>;
}

export type Questions<Results extends readonly unknown[]> = {
  readonly [Place in keyof Results]: Question<Results[Place]>;
};

export function createVisitCounts(): VisitCounts {
  const lookedAt = createLookedAtDays();
  const known = createOpenDays(lookedAt.open);
  const countCached = cacheCounts<object>(lookedAt.parts);

  async function* openDays(
    transaction: Transaction,
    { websiteNumber, moment, fromHits, cut, filters, goals, pageRules }: VisitDays,
    turns: Turns,
  ): AsyncGenerator<OpenDay> {
    const days = { websiteNumber, moment, pageRules };
    const countIn = (hits: CountedHits, until?: Date): OpenDay => ({
      day: hits.day,
      count: (question) => hits.count(question, { filters, goals, until }, turns),
    });
    if (fromHits.length > 0) {
      const ofDays = { ...days, days: fromHits };
      for await (const hits of known.read(transaction, ofDays, turns)) yield countIn(hits);
    }
    if (cut === undefined) return;
    // Nearly always, it is over.
    if (cut.booked !== undefined) {
      const scope = { websiteNumber, days: [cut.booked], filters, goals, pageRules };
      const visitsOf = cutOnce(cut.until.getTime());
      yield { day: cut.day.day, count: (question) => countCut(transaction, scope, visitsOf, question, turns) };
      return;
    }
    for await (const hits of known.read(transaction, { ...days, days: [cut.day] }, turns))
      yield countIn(hits, cut.until);
  }

  /** Counts the hits before a moment from the book. */
  async function countCut<Result>(
    transaction: Transaction,
    { filters, goals, ...days }: Scope,
    visitsOf: (part: PartVisits) => VisitColumns,
    question: Question<Result>,
    turns: Turns,
  ): Promise<Result> {
    const counter = question.counter();
    const { columns, choose } = compileChoice(filters, goals);
    const names = [...columns, ...counter.columns, 'minutes', 'hits', 'repeats'] as const;
    for await (const part of readColumns(transaction, days, names, lookedAt.parts)) {
      turns.begin();
      const visits = showPages(visitsOf(part), days.pageRules);
      counter.add(visits, await choose(visits, turns.pass), 1);
      await turns.end();
    }
    return counter.result();
  }

  return {
    async count<Results extends readonly unknown[]>(
      transaction: Transaction,
      days: VisitDays,
      questions: Questions<Results>,
    ): Promise<Results> {
      const turns = startTurns();
      const counters = questions.map((question) => question.counter());
      for await (const day of openDays(transaction, days, turns)) {
        for (const [place, question] of questions.entries()) counters[place]?.include(await day.count(question));
      }
      await countColumns(transaction, scopeOf(days), counters, turns, lookedAt.parts);
      // Each is the result of the question at its place.
      return counters.map((counter) => counter.result()) as unknown as Results;
    },

    async countAgain<Result extends object>(
      transaction: Transaction,
      days: VisitDays,
      questions: readonly Question<Result>[],
    ) {
      const turns = startTurns();
      const counters = questions.map((question) => question.counter());
      for await (const day of openDays(transaction, days, turns)) {
        for (const [place, question] of questions.entries()) counters[place]?.include(await day.count(question));
      }
      const ofColumns = await countCached(transaction, scopeOf(days), questions, turns);
      return counters.map((counter, place) => {
        for (const result of ofColumns[place] ?? []) counter.include(result as Result);
        return counter.result();
      });
    },

    async visitorsBetween(transaction, { websiteNumber, moment, fromHits, filters, goals, pageRules }, since, until) {
      const turns = startTurns();
      const visitors = new Set<bigint>();
      const days = { websiteNumber, moment, days: fromHits, pageRules };
      for await (const hits of known.read(transaction, days, turns)) {
        for (const visitor of await hits.visitorsBetween(since, until, { filters, goals }, turns))
          visitors.add(visitor);
      }
      return visitors.size;
    },

    async live(transaction, { websiteNumber, moment, fromHits, filters, goals, pageRules }, since, until) {
      const turns = startTurns();
      const counts = noLiveCounts();
      const days = { websiteNumber, moment, days: fromHits, pageRules };
      for await (const hits of known.read(transaction, days, turns)) {
        await hits.countLive(counts, since, until, { filters, goals }, turns);
      }
      return counts;
    },

    openDays: (transaction, days) => openDays(transaction, days, startTurns()),
  };
}

/** Cuts each part once, while it is cached: several questions follow one another. */
function cutOnce(until: number): (part: PartVisits) => VisitColumns {
  const cut = new WeakMap<PartVisits, VisitColumns>();
  return (part) => {
    const visits = cut.get(part) ?? cutVisits(part, until);
    cut.set(part, visits);
    return visits;
  };
}

function scopeOf({ websiteNumber, fromBook, filters, goals, pageRules }: VisitDays): Scope {
  return { websiteNumber, days: fromBook, filters, goals, pageRules };
}
