import { addressOf, type Cut, type Website, type WebsiteFilter } from '@hitherto/domain';

/** What part of whose list to read. */
export interface SectionRequest {
  readonly accountId: string;
  readonly order: WebsiteFilter['order'];
  readonly limit: number;
  readonly cut: Cut | undefined;
}

/** A part of a list in its order, and what stands around it. */
export interface Section {
  readonly websites: readonly Website[];
  /** The sort key of the website directly before, where there is one. */
  readonly before: string | undefined;
  readonly hasMore: boolean;
  /** How many websites the whole list has; one more than the limit of counting where there are more than that. */
  readonly count: number;
}

/** What the order sorts by. */
export function keyOf(website: Website, order: WebsiteFilter['order']): string {
  return order === 'newest_first' ? website.id : addressOf(website.url);
}
