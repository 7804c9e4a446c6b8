import { type Action, may, type Viewer } from '@hitherto/domain/access';
import type { FastifyRequest } from 'fastify';
import { headerOf } from '../shared/header.ts';
import type { WebsitePage } from '../shared/paths.ts';
import { viewerOf } from './session.ts';

/** What somebody may do who sees a page of a website; a key that may only read sees the forms. */
const ACTIONS: Readonly<Record<WebsitePage, Action>> = {
  settings: 'see_settings',
  goals: 'see_settings',
  funnels: 'see_settings',
  segments: 'see_settings',
  links: 'see_settings',
  recipients: 'see_settings',
  annotations: 'see_settings',
  cleanups: 'see_settings',
  alerts: 'see_settings',
  findings: 'see_settings',
  snippet: 'see_settings',
  dropped: 'see_statistics',
  check: 'see_settings',
  imports: 'see_settings',
  coverage: 'see_settings',
  changes: 'see_settings',
  move: 'manage_account',
  delete: 'add_and_delete_websites',
};

/** Whether the viewer sees a page of a website. */
export function seesPage(viewer: Viewer, page: WebsitePage): boolean {
  return may({ ...viewer, scope: 'write' }, ACTIONS[page]);
}

/** The pages of a website that the viewer of a request sees. */
export function pagesOf<Page extends WebsitePage>(request: FastifyRequest, pages: readonly Page[]): Page[] {
  const isMovable = headerOf(request).owned.length > 1;
  return pages.filter((page) => seesPage(viewerOf(request), page) && (page !== 'move' || isMovable));
}
