import type { SessionDependencies, Viewer } from '@hitherto/domain';
import { canView, type DirectoryEntry, findSession, type View, type WebsiteDirectory } from '@hitherto/domain';
import type { FastifyRequest } from 'fastify';
import { SESSION_COOKIE, UNLOCK_COOKIE } from '../http/cookies.ts';
import { pageNotFound } from '../http/send-error.tsx';
import { isUnlock } from './unlock.ts';

export type ById = { Params: { id: string } };

export interface PageAccess extends Pick<SessionDependencies, 'sessions' | 'now'> {
  readonly directory: Pick<WebsiteDirectory, 'findById'>;
}

/** A website's page that the viewer gets, or the form that asks for its password. */
export interface FoundPage extends DirectoryEntry {
  readonly viewer: Viewer;
  readonly view: Exclude<View, 'not_found'>;
}

/**
 * The page of the path's website, by the one decision of the domain. What is not there and what the viewer may not see take
 * the same steps and the same error.
 */
export async function findPage(deps: PageAccess, request: FastifyRequest<ById>): Promise<FoundPage> {
  const { [SESSION_COOKIE]: session = '', [UNLOCK_COOKIE]: unlock = '' } = request.cookies;
  const [entry, signedIn] = await Promise.all([
    deps.directory.findById(request.params.id.toLowerCase()),
    findSession(deps, session),
  ]);
  if (entry === undefined) throw pageNotFound();
  const viewer = viewerOf(entry, signedIn?.key.accountId, unlock, deps.now());
  const view = canView(entry.website.privacy, viewer);
  if (view === 'not_found') throw pageNotFound();
  return { ...entry, viewer, view };
}

function viewerOf({ accountId, website }: DirectoryEntry, signedInAs: string | undefined, unlock: string, now: Date) {
  if (signedInAs === accountId) return 'owner';
  return isUnlock(website, unlock, now) ? 'unlocked' : 'anyone';
}
