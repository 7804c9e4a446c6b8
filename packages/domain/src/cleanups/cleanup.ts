import { compareStrings } from '../base/byte-order.ts';
import { DomainError, type Fault, InvalidFields, inWords } from '../base/errors.ts';
import { type Day, isDay } from '../calendar/days.ts';
import { nameFaults } from '../definitions/definition.ts';
import type { Match } from '../visits/filters.ts';
import type { HidingRule } from '../visits/hiding.ts';
import { type FilterParameters, parameterOf, readFilters } from '../visits/read-filters.ts';

/** Waits to be applied; hides visits; hides visits and waits to be undone, or until the hits that it hides are deleted. */
export const CLEANUP_STATUSES = ['applying', 'active', 'undoing', 'erasing'] as const;
export type CleanupStatus = (typeof CLEANUP_STATUSES)[number];

/** A rule that takes visits out of all numbers of a website, and can be undone (cleanups.md). */
export interface Cleanup extends HidingRule {
  /** Unique among the cleanups of the website. */
  readonly name: string;
  readonly status: CleanupStatus;
  /** What it hid when it was applied; `null` before. */
  readonly hidden: HiddenNumbers | null;
  /** When hits that it hides were deleted last. */
  readonly erasedAt: Date | null;
  readonly createdAt: Date;
  /** Strictly later with every change, to the millisecond, so it is also the cleanup's version. */
  readonly updatedAt: Date;
}

export interface HiddenNumbers {
  readonly visits: number;
  readonly hits: number;
  /** The first day whose hits were kept: numbers of earlier days did not change. */
  readonly keptFrom: Day;
}

/** Unchecked input for a cleanup, with the names of the API. An absent field sets nothing. */
export interface CleanupInput {
  readonly name?: string | undefined;
  readonly filters?: FilterParameters | undefined;
  readonly match?: Match | undefined;
  readonly from?: string | null | undefined;
  readonly to?: string | null | undefined;
}

/** A rule that is not a cleanup yet. */
export type NewRule = Omit<HidingRule, 'id'>;

export interface NewCleanup extends NewRule {
  readonly name: string;
}

/** Days that no hit is before or after. */
export const [FIRST_DAY, LAST_DAY]: readonly [Day, Day] = ['1970-01-01', '9999-12-31'];

/** The most cleanups that a website has. */
export const MAX_CLEANUPS = 50;

/** Checks the input for a new cleanup. Throws `InvalidFields` with every fault. */
export function parseNewCleanup(input: CleanupInput): NewCleanup {
  const { rule, faults } = readRule(input);
  faults.unshift(...nameFaults(input.name, true));
  if (faults.length > 0 || input.name === undefined) throw new InvalidFields(faults);
  return { name: input.name, ...rule };
}

/** Checks the rule alone, for a preview; people may not have thought of a name yet. */
export function parseRule(input: CleanupInput): NewRule {
  const { rule, faults } = readRule(input);
  if (faults.length > 0) throw new InvalidFields(faults);
  return rule;
}

/** Checks changes to a cleanup: only the name can change, because numbers follow from the rest. */
export function parseCleanupChanges({ name, ...others }: CleanupInput): { readonly name: string | undefined } {
  const faults = nameFaults(name, false);
  for (const [field, value] of Object.entries(others)) {
    if (value === undefined) continue;
    const detail = 'Only the name of a cleanup can be changed: delete this one, and create another.';
    faults.push({ field, code: 'not_allowed', detail });
  }
  if (faults.length > 0) throw new InvalidFields(faults);
  return { name };
}

function readRule({ filters: sent = [], match = 'all', from = null, to = null }: CleanupInput): {
  readonly rule: NewRule;
  readonly faults: Fault[];
} {
  const read = readFilters(sent, false);
  const faults = read.faults.map((fault) => ({ ...fault, field: `filters.${fault.field}` }));
  for (const filter of read.filters.filter(({ kind }) => kind === 'goal')) {
    const field = `filters.${parameterOf(filter)}`;
    faults.push({ field, code: 'not_allowed', ...inWords((words) => words.faults.filters.ruleOfGoal) });
  }
  if (read.filters.length === 0 && read.faults.length === 0) {
    const detail = 'A cleanup must have at least one filter.';
    faults.push({ field: 'filters', code: 'required', ...inWords((words) => words.faults.filters.none, detail) });
  }
  for (const [field, day] of Object.entries({ from, to })) {
    if (day !== null && !isDay(day)) {
      const detail = 'Must be a day, such as 2026-11-20, or null.';
      faults.push({ field, code: 'not_allowed', ...inWords((words) => words.faults.day, detail) });
    }
  }
  if (from !== null && to !== null && isDay(from) && isDay(to) && to < from) {
    const text = inWords(({ statistics }) => statistics.lastBeforeFirst, '"to" must not be before "from".');
    faults.push({ field: 'to', code: 'not_allowed', ...text });
  }
  // A rule is the same whatever the order of its filters.
  const filters = read.filters.toSorted((a, b) => compareStrings(parameterOf(a), parameterOf(b)));
  return { rule: { match, filters, from, to }, faults };
}

/** The rule of a cleanup alone, as reads and engines use it. */
export function ruleOf({ id, match, filters, from, to }: HidingRule): HidingRule {
  return { id, match, filters, from, to };
}

/** Whether reads leave out what it hides. */
export function isInEffect({ status }: Pick<Cleanup, 'status'>): boolean {
  return status !== 'applying';
}

/**
 * The first day that undoing brings visits back to, if not to all days of the cleanup: hits of earlier ones have been deleted since
 * it was applied.
 */
export function undoneFrom({ from, hidden }: Pick<Cleanup, 'from' | 'hidden'>, keptFrom: Day): Day | null {
  if (hidden === null) return null;
  const first = from !== null && from > hidden.keptFrom ? from : hidden.keptFrom;
  return keptFrom > first ? keptFrom : null;
}

/** Something else has to be done first. */
export function cleanupBusy({ status }: Pick<Cleanup, 'status'>): DomainError {
  return new DomainError('cleanup_busy', `The cleanup is ${status}. Try again when that is done.`, {
    saying: ({ faults }) => faults.isBusy,
  });
}

/** The website has as many cleanups as it may have. */
export function tooManyCleanups(): DomainError {
  return new DomainError('too_many_cleanups', `A website has at most ${MAX_CLEANUPS} cleanups. Delete one first.`, {
    saying: ({ faults }) => faults.full(MAX_CLEANUPS),
  });
}
