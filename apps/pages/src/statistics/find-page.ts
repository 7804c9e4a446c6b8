import {
  canView,
  type DirectoryEntry,
  findSession,
  type PageLocks,
  type SessionDependencies,
  type TimeZone,
  type View,
  type Viewer,
  type WebsiteDirectory,
  zoneOf,
} from '@hitherto/domain';
import type { FastifyRequest } from 'fastify';
import { SESSION_COOKIE, UNLOCK_COOKIE } from '../shared/cookies.ts';
import { pageNotFound } from '../shared/send-error.tsx';
import { isUnlock } from './unlock.ts';

export type ById = { Params: { id: string } };

export interface PageAccess extends Pick<SessionDependencies, 'sessions' | 'now'> {
  readonly directory: Pick<WebsiteDirectory, 'findById'>;
  readonly locks: PageLocks;
  /** The installation's. */
  readonly zone: TimeZone;
}

/** The page that the viewer gets, or the form that asks for its password. */
export interface FoundPage extends DirectoryEntry {
  /** The website's. */
  readonly zone: TimeZone;
  readonly viewer: Viewer;
  readonly view: Exclude<View, 'not_found'>;
}

/**
 * The page of the website in the path; the domain's `canView` decides. A missing page and one that the viewer may not
 * see take the same steps and give the same error.
 */
export async function findPage(deps: PageAccess, request: FastifyRequest<ById>): Promise<FoundPage> {
  const { [SESSION_COOKIE]: session = '', [UNLOCK_COOKIE]: unlock = '' } = request.cookies;
  const [entry, signedIn] = await Promise.all([
    deps.directory.findById(request.params.id.toLowerCase()),
    findSession(deps, session),
  ]);
  if (entry === undefined) throw pageNotFound();
  const viewer = await viewerOf(deps, entry, signedIn?.key.accountId, unlock);
  const view = canView(entry.website.privacy, viewer);
  if (view === 'not_found') throw pageNotFound();
  return { ...entry, zone: zoneOf(entry.website, deps.zone), viewer, view };
}

async function viewerOf(
  { locks, now }: PageAccess,
  { accountId, website }: DirectoryEntry,
  signedInAs: string | undefined,
  unlock: string,
): Promise<Viewer> {
  if (signedInAs === accountId) return 'owner';
  // No other page can be unlocked. Checking the others would make a private page slower than a missing one.
  if (website.privacy !== 'password') return 'anyone';
  return (await isUnlock(locks, website, unlock, now())) ? 'unlocked' : 'anyone';
}
