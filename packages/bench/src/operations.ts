import { FILLED_AT, type FilledAccount } from './fill.ts';
import type { Operation } from './load/load.ts';

export type OperationName =
  | 'show'
  | 'show, If-None-Match'
  | 'create'
  | 'update'
  | 'list page'
  | 'search'
  | 'search, frequent';

/** The entity tag of the websites that were filled in. */
const ETAG = `"${FILLED_AT.getTime().toString(36)}"`;

/** The operations on an account. Of 100,000 websites, 12 have the rare term and a tenth have the frequent one. */
export function operationsOn({ key, websiteIds }: FilledAccount): Record<OperationName, Operation> {
  const authorization = { authorization: `Bearer ${key}` };
  const json = { ...authorization, 'content-type': 'application/json' };
  const shared = { method: 'GET', headers: authorization, ids: websiteIds, status: 200 } as const;
  return {
    show: { ...shared, name: 'show', path: '/api/v1/websites/{id}' },
    'show, If-None-Match': {
      ...shared,
      name: 'show with a matching If-None-Match',
      path: '/api/v1/websites/{id}',
      headers: { ...authorization, 'if-none-match': ETAG },
      status: 304,
    },
    create: {
      ...shared,
      name: 'create',
      method: 'POST',
      path: '/api/v1/websites',
      headers: json,
      body: '{"url":"https://{n}.example"}',
      status: 201,
    },
    update: {
      ...shared,
      name: 'update',
      method: 'PATCH',
      path: '/api/v1/websites/{id}',
      headers: json,
      // A new value each time, so that each update is written.
      body: '{"exclude_params":"{n}"}',
    },
    'list page': { ...shared, name: 'list page', path: '/api/v1/websites?per_page=25' },
    search: { ...shared, name: 'search', path: '/api/v1/websites?per_page=25&search=abc1' },
    'search, frequent': { ...shared, name: 'search, frequent', path: '/api/v1/websites?per_page=25&search=shop' },
  };
}
