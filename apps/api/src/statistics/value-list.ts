import type { ValueOrder, ValuePage, ValuePosition } from '@hitherto/domain/engine';
import { parameterOf } from '@hitherto/domain/visits';
import { InvalidRequest, type WireFault } from '@hitherto/http';
import type { ListName } from '@hitherto/wire';
import { digest, linksOf, PER_PAGE, readCursor, signCursor } from '../requests/paging.ts';
import type { ReadParameters } from './query-schemas.ts';
import type { Asked } from './read-query.ts';

/** A list of values: its account, its website, its query, and its subject (a dimension, or an event with a property). */
export interface ValueList {
  readonly accountId: string;
  readonly websiteId: string;
  readonly asked: Asked;
  readonly of: readonly [ListName, ...string[]];
}

/** Which page of a list is asked for. */
interface ValuePageRequest {
  readonly limit: number;
  readonly position: ValuePosition | undefined;
  readonly order?: ValueOrder | undefined;
}

/** Reads `per_page` and `cursor`. Throws `InvalidRequest` with all faults of the query. */
export function readValuePage(list: ValueList): ValuePageRequest {
  const { query, faults } = list.asked;
  // A cursor is made for a list, a period and filters: where one of these is faulty, nothing can be said of it.
  const cursor = faults.length > 0 ? undefined : query.cursor;
  const position = cursor === undefined ? undefined : decodeCursor(list, cursor);
  if (cursor !== undefined && position === undefined) {
    const detail =
      'This cursor is broken, or was made for another list, period or filter. Start again without a cursor.';
    throw new InvalidRequest([{ field: 'cursor', code: 'invalid_cursor', detail }]);
  }
  if (faults.length > 0) throw new InvalidRequest(faults);
  return { limit: query.per_page ?? PER_PAGE.default, position, order: query.sort };
}

/** The faults of parameters that CSV does not accept: it is not paged, and has no second period. */
export function csvFaults({ query }: Asked, { own }: ReadParameters): WireFault[] {
  return (['per_page', 'cursor', 'compare'] as const)
    .filter((field) => own.has(field) && query[field] !== undefined)
    .map((field) => ({ field, code: 'not_allowed', detail: 'CSV has no pages and no comparison: leave this out.' }));
}

/** The links of a page, and its `Link` header. They name the period, because the default one moves on at midnight. */
export function valueLinksOf(list: ValueList, path: string, page: ValuePage) {
  const { query, period } = list.asked;
  const parameters = { ...query, from: period.from, to: period.to };
  return linksOf(path, parameters, page, (position) => encodeCursor(list, position));
}

/** The cursor of a position: it contains a hash of the list that it is made for. */
function encodeCursor({ accountId, websiteId, asked, of }: ValueList, position: ValuePosition): string {
  const { period, filters, match, query } = asked;
  const sorted = filters.filters.map((filter) => [parameterOf(filter), filter]).sort();
  const list = JSON.stringify([websiteId, of, period.from, period.to, sorted, filters.segment, match, query.sort]);
  return signCursor(accountId, [position.side, position.number, position.value, digest(list)]);
}

function decodeCursor(list: ValueList, cursor: string): ValuePosition | undefined {
  const [side, number, value] = readCursor(cursor);
  if ((side !== 'after' && side !== 'up_to') || typeof number !== 'number') return undefined;
  if (typeof value !== 'string' && value !== null) return undefined;
  const position: ValuePosition = { side, number, value };
  return encodeCursor(list, position) === cursor ? position : undefined;
}
