import { type AccessRepository, may } from '@hitherto/domain/access';
import { type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import { entranceOf, hashToken, type LinkRepository } from '@hitherto/domain/links';
import { findSession, type SessionDependencies, type SignedIn, viewersOf } from '@hitherto/domain/people';
import { canView, type PageViewer, type View } from '@hitherto/domain/reading';
import type {
  DirectoryEntry,
  PageLocks,
  WebsiteDirectory,
  WebsiteName,
  WebsiteRepository,
} from '@hitherto/domain/websites';
import type { FastifyRequest } from 'fastify';
import { FRAMED_UNLOCK_COOKIE, readCookie, SESSION_COOKIE, UNLOCK_COOKIE } from '../shared/cookies.ts';
import { type Header, headerFor } from '../shared/header.ts';
import { sharePath, statisticsPath } from '../shared/paths.ts';
import { noteRights } from '../shared/rights-meanwhile.tsx';
import { pageNotFound } from '../shared/send-error.tsx';
import { MAX_SWITCHED } from '../shared/website-switcher.tsx';
import { isUnlock, type Lock, UNLOCK_MS, type UnlockKey } from './unlock.ts';

/** The parameters of a path: `id` or `token`, and others beneath the page. */
export type Parameters = Readonly<Record<string, string>>;
export type StatisticsRequest = FastifyRequest<{ Params: Parameters }>;

export interface PageAccess extends Pick<SessionDependencies, 'sessions' | 'now'>, UnlockKey {
  readonly directory: Pick<WebsiteDirectory, 'findById'>;
  readonly websites: WebsiteRepository;
  readonly links: LinkRepository;
  readonly access: Pick<AccessRepository, 'findAccount'>;
  readonly locks: PageLocks;
  /** The installation's. */
  readonly zone: TimeZone;
}

/** The page that the viewer gets, or the form that asks for its password. */
export interface FoundPage extends DirectoryEntry {
  /** Of the statistics page; others are beneath it. */
  readonly path: string;
  /** The website's. */
  readonly zone: TimeZone;
  readonly viewer: PageViewer;
  /** Whoever is signed in, also where that is nobody of the account. */
  readonly who: Header | undefined;
  /** Other websites of its account, for a member who goes from one to another. */
  readonly others: () => Promise<readonly WebsiteName[]>;
  /** Whether the viewer may see the settings of the website, too. */
  readonly hasSettings: boolean;
  readonly view: Exclude<View, 'not_found'>;
  /** Whether it is a shared link. */
  readonly isShared: boolean;
  /** The segment whose visits alone may be seen; `null` for all visits. */
  readonly segmentId: string | null;
  /** The lock that a password opens, if the page has one. */
  readonly lock: Lock | undefined;
  /** When an unlock that is made now ends. */
  readonly unlockEnds: Date;
}

/** Finds the page of a request; all addresses of statistics pages have one. */
export interface Entry {
  /** The pattern of the page's path. */
  readonly pattern: '/statistics/:id' | '/share/:token';
  readonly pathOf: (parameters: Parameters) => string;
  /**
   * The domain's `canView` decides. A page that does not exist and one that the viewer may not see take the same steps and
   * give the same error.
   */
  readonly find: (deps: PageAccess, request: StatisticsRequest) => Promise<FoundPage>;
}

/** The page of a website under its id. */
export const OWN_PAGE: Entry = {
  pattern: '/statistics/:id',
  pathOf: ({ id = '' }) => statisticsPath(encodeURIComponent(id)),
  async find(deps, request) {
    const [entry, signedIn] = await Promise.all([
      deps.directory.findById(request.params.id?.toLowerCase() ?? ''),
      signedInAt(deps, request),
    ]);
    if (entry === undefined) throw pageNotFound();
    const { id, privacy, passwordHash } = entry.website;
    // Only pages with a password can be unlocked. Checking other pages would make a private page slower than a missing one.
    const lock =
      privacy === 'password' ? { name: id, passwordHash, version: () => deps.locks.versionOf(id) } : undefined;
    const viewers = signedIn === undefined ? [] : viewersOf(signedIn);
    const member = viewers.find(({ accountId }) => accountId === entry.accountId);
    const isMember = member !== undefined && may(member, 'see_statistics', id);
    const viewer = isMember ? 'member' : await viewerOf(deps, lock, request);
    const view = canView('own', privacy, viewer);
    if (view === 'not_found') throw pageNotFound();
    return {
      ...entry,
      path: statisticsPath(id),
      zone: zoneOf(entry.website, deps.zone),
      viewer,
      who: signedIn && headerFor(request, signedIn),
      others: async () =>
        isMember ? (await deps.websites.names(member, MAX_SWITCHED)).filter((other) => other.id !== id) : [],
      hasSettings: member !== undefined && may(member, 'see_settings', id),
      view,
      isShared: false,
      segmentId: null,
      lock,
      unlockEnds: new Date(deps.now().getTime() + UNLOCK_MS),
    };
  },
};

/** The page of a website under a shared link. Who is signed in is shown, and does not matter. */
export const SHARED_PAGE: Entry = {
  pattern: '/share/:token',
  pathOf: ({ token = '' }) => sharePath(encodeURIComponent(token)),
  async find(deps, request) {
    const { token = '' } = request.params;
    const hash = hashToken(token);
    const [found, signedIn] = await Promise.all([
      hash === undefined ? undefined : deps.links.findByToken(hash),
      signedInAt(deps, request),
    ]);
    if (found === undefined) throw pageNotFound();
    const { link, accountId, website } = found;
    const { id, passwordHash, expiresAt, segmentId } = link;
    const now = deps.now();
    // No password of a link ever changes.
    const lock = passwordHash === null ? undefined : { name: `link ${id}`, passwordHash, version: async () => 0 };
    const viewer = await viewerOf(deps, lock, request);
    const view = canView(entranceOf(link, now), website.privacy, viewer);
    if (view === 'not_found') throw pageNotFound();
    return {
      accountId,
      website,
      path: sharePath(token),
      zone: zoneOf(website, deps.zone),
      viewer,
      who: signedIn && headerFor(request, signedIn),
      others: async () => [],
      hasSettings: false,
      view,
      isShared: true,
      segmentId,
      lock,
      unlockEnds: new Date(Math.min(now.getTime() + UNLOCK_MS, expiresAt?.getTime() ?? Number.POSITIVE_INFINITY)),
    };
  },
};

async function signedInAt(deps: PageAccess, request: StatisticsRequest): Promise<SignedIn | undefined> {
  const session = readCookie(request, SESSION_COOKIE);
  const signedIn = session === undefined ? undefined : await findSession(deps, session);
  noteRights(request, signedIn);
  return signedIn;
}

async function viewerOf(deps: PageAccess, lock: Lock | undefined, request: StatisticsRequest): Promise<PageViewer> {
  if (lock === undefined) return 'anyone';
  for (const name of [UNLOCK_COOKIE, FRAMED_UNLOCK_COOKIE]) {
    if (await isUnlock(deps, lock, readCookie(request, name) ?? '', deps.now())) return 'unlocked';
  }
  return 'anyone';
}
