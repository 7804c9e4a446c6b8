import type { WebsiteFilter } from '@hitherto/domain';

/** How an order of lists is walked by its index, away from a cut. */
export interface Walk {
  readonly key: 'address' | 'id';
  readonly compare: '>' | '<' | '>=' | '<=';
  readonly direction: 'asc' | 'desc';
}

/** From the cut on, in the order asked for. */
export function ahead(order: WebsiteFilter['order']): Walk {
  const key = order === 'newest_first' ? 'id' : 'address';
  return order === 'address_asc' ? { key, compare: '>', direction: 'asc' } : { key, compare: '<', direction: 'desc' };
}

/** From the cut back, its own website included. */
export function behind(order: WebsiteFilter['order']): Walk {
  const { key, direction } = ahead(order);
  return direction === 'asc' ? { key, compare: '<=', direction: 'desc' } : { key, compare: '>=', direction: 'asc' };
}
