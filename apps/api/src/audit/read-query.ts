import { endOfDay, isDay, startOfDay, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import type { AuditFilter, AuditPosition } from '@hitherto/domain/records';
import type { Reach, WebsiteRepository } from '@hitherto/domain/websites';
import { InvalidRequest, type WireFault } from '@hitherto/http';
import type { Static } from '@sinclair/typebox';
import { PER_PAGE, readCursor, signCursor } from '../requests/paging.ts';
import type { AuditQuery } from './schemas.ts';

type Query = Static<typeof AuditQuery>;

/** A query of the audit trail in the domain's words. */
interface AuditRequest {
  readonly filter: AuditFilter;
  readonly limit: number;
  readonly after: AuditPosition | undefined;
}

interface ReadDependencies {
  readonly websites: Pick<WebsiteRepository, 'find'>;
  /** The installation's. */
  readonly zone: TimeZone;
}

/** Reads a query. Throws `InvalidRequest` with the faults of its shape, its days and its cursor. */
export async function readAuditQuery(
  deps: ReadDependencies,
  reach: Reach,
  query: Query,
  shapeFaults: readonly WireFault[],
): Promise<AuditRequest> {
  const { website, from, to, cursor } = query;
  const faults = [...shapeFaults];
  for (const [field, day] of Object.entries({ from, to })) {
    if (day === undefined || isDay(day) || faults.some((fault) => fault.field === field)) continue;
    faults.push({ field, code: 'not_allowed', detail: 'Must be a day, such as 2026-11-20.' });
  }
  if (faults.length === 0 && from !== undefined && to !== undefined && from > to) {
    faults.push({ field: 'to', code: 'not_allowed', detail: 'The last day must not be before the first.' });
  }
  const after = cursor === undefined || faults.length > 0 ? undefined : decodeCursor(reach.accountId, query, cursor);
  if (cursor !== undefined && after === undefined && faults.length === 0) {
    const detail = 'This cursor is broken, or was made for another website or period. Start again without a cursor.';
    faults.push({ field: 'cursor', code: 'invalid_cursor', detail });
  }
  if (faults.length > 0) throw new InvalidRequest(faults);
  const websiteId = website?.toLowerCase();
  const zone = from === undefined && to === undefined ? deps.zone : await zoneOfWebsite(deps, reach, websiteId);
  const filter = {
    ...(websiteId === undefined ? {} : { websiteId }),
    ...(from === undefined ? {} : { from: startOfDay(zone, from) }),
    ...(to === undefined ? {} : { until: endOfDay(zone, to) }),
  };
  return { filter, limit: query.per_page ?? PER_PAGE.default, after };
}

/** The cursor of a position: it contains the website and the days that it was made for. */
export function encodeChangeCursor(accountId: string, { website, from, to }: Query, { at, id }: AuditPosition): string {
  return signCursor(accountId, [at.getTime(), id, website ?? null, from ?? null, to ?? null]);
}

function decodeCursor(accountId: string, query: Query, cursor: string): AuditPosition | undefined {
  const [time, id] = readCursor(cursor);
  if (typeof time !== 'number' || typeof id !== 'string') return undefined;
  const position = { at: new Date(time), id };
  return encodeChangeCursor(accountId, query, position) === cursor ? position : undefined;
}

async function zoneOfWebsite({ websites, zone }: ReadDependencies, reach: Reach, id = ''): Promise<TimeZone> {
  const website = await websites.find(reach, id);
  return website === undefined ? zone : zoneOf(website, zone);
}
