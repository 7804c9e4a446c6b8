import type { Viewer } from '@hitherto/domain/access';
import type { CursorPosition, WebsiteFilter, WebsitePage } from '@hitherto/domain/websites';
import { InvalidRequest, type WireFault } from '@hitherto/http';
import type { Static } from '@sinclair/typebox';
import { linksOf, PER_PAGE } from '../requests/paging.ts';
import { decodeWebsiteCursor, encodeWebsiteCursor } from './cursor.ts';
import type { ListQuery, WebsiteResource } from './schemas.ts';
import { toResource } from './wire.ts';

type Query = Static<typeof ListQuery>;

/** A list query in the domain's words. */
interface ListRequest {
  readonly filter: WebsiteFilter;
  readonly limit: number;
  readonly position: CursorPosition | undefined;
}

const ORDERS = { asc: 'address_asc', desc: 'address_desc' } as const;

/** Reads a list query. Throws `InvalidRequest` with the faults of its shape and of its cursor. */
export function fromListQuery(accountId: string, query: Query, shapeFaults: readonly WireFault[]): ListRequest {
  const faults = [...shapeFaults];
  const faulty = new Set(faults.map(({ field }) => field));
  const filter: WebsiteFilter = {
    order: query.sort === undefined ? 'newest_first' : ORDERS[query.sort],
    ...(query.search ? { search: query.search } : {}),
  };
  // A cursor belongs to a sort and a search; if one of them is faulty, the cursor cannot be checked.
  const cursor = ['cursor', 'sort', 'search'].some((name) => faulty.has(name)) ? undefined : query.cursor;
  const position = cursor === undefined ? undefined : decodeWebsiteCursor(accountId, filter, cursor);
  if (cursor !== undefined && position === undefined) {
    const detail = 'This cursor is broken, or was made for another sort or search. Start again without a cursor.';
    faults.push({ field: 'cursor', code: 'invalid_cursor', detail });
  }
  if (faults.length > 0) throw new InvalidRequest(faults);
  return { filter, limit: query.per_page ?? PER_PAGE.default, position };
}

/** The body of a list, and its `Link` header, if any. */
export function toListResponse(viewer: Viewer, path: string, query: Query, list: ListRequest, page: WebsitePage) {
  const { cursor: _, ...kept } = query;
  const { links, header } = linksOf(path, kept, page, (position) =>
    encodeWebsiteCursor(viewer.accountId, list.filter, position),
  );
  const data: WebsiteResource[] = page.websites.map((website) => toResource(website, viewer));
  const meta = { per_page: list.limit, total: page.total, total_is_exact: page.totalIsExact };
  return { body: { data, links, meta }, linkHeader: header };
}
