import type { Day } from '../calendar/days.ts';
import type { ValueTotals } from '../engine/statistics-repository.ts';
import type { Network } from '../hits/hit.ts';
import type { NotedHits } from '../hits/noted-hits.ts';
import type { Import } from '../imports/import.ts';
import type { SeriesPoint } from '../visits/totals.ts';
import type { Website } from '../websites/website.ts';

/** How many closed days the checks look at, and how many visits they need to have. */
export const CHECKED_DAYS = 28;
export const MIN_VISITS = 100;
/** A check finds this many at most: the largest. */
export const MAX_FOUND = 5;

/** A referring host, and its visits in the checked days. */
export interface ReferringHost {
  readonly host: string;
  readonly visits: number;
  readonly bounces: number;
}

/** A host whose visits are many, and all bounces. */
export interface BouncingHost extends ReferringHost {
  readonly countries: number;
  /** The first of the checked days with a visit. */
  readonly since: Day;
  /** Whether it had visits before the checked days. */
  readonly isKnown: boolean;
}

/** The direct visits by day of a country, or of a kind of network, also of days before the checked ones: they tell what is usual. */
export interface DirectVisits {
  readonly country: string | null;
  readonly network: Network | null;
  readonly byDay: ReadonlyMap<Day, SeriesPoint>;
}

/** The numbers of the closed days of a website, read once for all checks. */
export interface CheckNumbers {
  readonly website: Website;
  /** The hosts of the other websites of the account. */
  readonly otherHosts: ReadonlySet<string>;
  /** The last {@link CHECKED_DAYS} days, in order. */
  readonly days: readonly Day[];
  /** The numbers of each of these days with a hit. */
  readonly byDay: ReadonlyMap<Day, SeriesPoint>;
  /** The visits that begin in the first hour of a day. */
  readonly firstHours: ReadonlyMap<Day, number>;
  readonly pages: readonly ValueTotals[];
  /** The pageviews by day of frequent pages that had none lately. */
  readonly quietPages: ReadonlyMap<string, ReadonlyMap<Day, number>>;
  /** Of countries, and of hosting networks, with many bounces. */
  readonly directVisits: readonly DirectVisits[];
  /** The numbers of the website by day, as far back as `directVisits`; empty where that is. */
  readonly longByDay: ReadonlyMap<Day, SeriesPoint>;
  readonly labels: readonly ValueTotals[];
  readonly referringHosts: readonly ReferringHost[];
  readonly bouncingHosts: readonly BouncingHost[];
  readonly noted: readonly NotedHits[];
  readonly imports: readonly Import[];
}

/** What a check has found. */
export interface Found<Evidence> {
  /** What it is about: one website has one finding of a check about a subject. */
  readonly subject: string;
  readonly since: Day;
  /** How bad it is; a finding that was dismissed opens again when this has grown by half. */
  readonly size: number;
  readonly evidence: Evidence;
}

/** The filters of a cleanup, by their names in the API. */
type CleanupFilters = Readonly<Record<string, readonly string[]>>;

/** The request that closes a finding, in the domain's words. */
export type Fix =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'exclude_param'; readonly param: string; readonly excludedParams: readonly string[] }
  | {
      readonly kind: 'cleanup';
      readonly name: string;
      readonly filters: CleanupFilters;
      readonly from: Day | null;
      readonly erases: boolean;
    }
  /** The snippet in the pages needs a change. */
  | { readonly kind: 'snippet' }
  | { readonly kind: 'none' };

/** A check: a rule on numbers of days, and what closes what it finds (checks.md). */
export interface Check<Evidence> {
  /** The largest first. */
  readonly find: (numbers: CheckNumbers) => Found<Evidence>[];
  readonly fix: (evidence: Evidence, website: Website, since: Day) => Fix;
}

export const NO_FIX: Fix = { kind: 'none' };

const MAX_NAME_LENGTH = 64;

/** A name that a cleanup can have, of a text with strings from outside. */
export function nameOfCleanup(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cs}]/gu, '');
  return [...plain].slice(0, MAX_NAME_LENGTH).join('').trim();
}

/** Sorts the largest first. */
export function bySize(one: Found<unknown>, other: Found<unknown>): number {
  return other.size - one.size;
}
