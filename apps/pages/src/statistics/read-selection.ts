import {
  type Day,
  DIMENSIONS,
  type Dimension,
  FILTER_LIMITS,
  namedPeriod,
  PERIOD_NAMES,
  type Period,
  type PeriodName,
  readPeriod,
} from '@hitherto/domain';
import { METRICS } from '@hitherto/domain/format';
import type { FastifyRequest } from 'fastify';
import { DEFAULT_PERIOD, type Selection, type ValueFilter } from './selection.ts';

/** In code points: longer than any stored text of a hit. */
const MAX_VALUE_LENGTH = 4_096;
const MAX_PROPERTY_LENGTH = 40;

/** The query as sent; malformed parts become U+FFFD. */
export function queryParameters({ raw: { url = '' } }: FastifyRequest): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : url.slice(start));
}

/**
 * Reads the query of a page: unknown parameters are ignored, and faulty ones take their default (statistics.md,
 * section 6). The first of repeated parameters counts.
 */
export function readSelection(query: URLSearchParams, today: Day): Selection {
  return {
    ...readDays(query, today),
    filters: readFilters(query),
    metric: oneOf(METRICS, query.get('metric')) ?? 'visitors',
    lists: DIMENSIONS.filter((dimension) => query.getAll('list').includes(dimension)),
    property: readText(query.get('property'), MAX_PROPERTY_LENGTH),
  };
}

function readDays(query: URLSearchParams, today: Day): Period & { readonly period: PeriodName | undefined } {
  const [from, to] = [query.get('from'), query.get('to')];
  if (from !== null && to !== null) {
    const read = readPeriod(from, to, today);
    if ('period' in read) return { ...read.period, period: undefined };
  }
  const period = oneOf(PERIOD_NAMES, query.get('period')) ?? DEFAULT_PERIOD;
  return { ...namedPeriod(period, today), period };
}

function readFilters(query: URLSearchParams): ValueFilter[] {
  const filters: ValueFilter[] = [];
  for (const dimension of query.keys()) {
    if (!isDimension(dimension) || filters.some((filter) => filter.dimension === dimension)) continue;
    const value = readText(query.get(dimension), MAX_VALUE_LENGTH);
    if (value !== undefined) filters.push({ dimension, value: value === '' ? null : value });
  }
  return filters.slice(0, FILTER_LIMITS.filters);
}

/** A text that can be searched for: PostgreSQL stores no NUL. */
function readText(text: string | null, maxLength: number): string | undefined {
  return text === null || [...text].length > maxLength || text.includes('\0') ? undefined : text;
}

export function isDimension(text: string): text is Dimension {
  return oneOf(DIMENSIONS, text) !== undefined;
}

function oneOf<const T extends string>(values: readonly T[], text: string | null): T | undefined {
  return values.find((value) => value === text);
}
