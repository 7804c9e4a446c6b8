import type { Privacy } from '../websites/settings.ts';

/**
 * Who requests a statistics page: a member or somebody signed in with a key, somebody with a valid unlock of the page or the link,
 * or anyone else.
 */
export type PageViewer = 'member' | 'unlocked' | 'anyone';

/** The address by which somebody requests it: the website's own, a shared link, one that has a password, or one that has expired. */
export type Entrance = 'own' | 'link' | 'link_with_password' | 'ended_link';

/** The response to a viewer. "Not found" is the same as for a website that does not exist. */
export type View = 'page' | 'form' | 'not_found';

const VIEWS: Readonly<Record<Privacy, Readonly<Record<PageViewer, View>>>> = {
  public: { member: 'page', unlocked: 'page', anyone: 'page' },
  private: { member: 'page', unlocked: 'not_found', anyone: 'not_found' },
  password: { member: 'page', unlocked: 'page', anyone: 'form' },
};

/** A link shows a website of any privacy. */
const VIEWS_OF_LINKS: Readonly<Record<Exclude<Entrance, 'own'>, Readonly<Record<PageViewer, View>>>> = {
  link: { member: 'page', unlocked: 'page', anyone: 'page' },
  link_with_password: { member: 'page', unlocked: 'page', anyone: 'form' },
  ended_link: { member: 'not_found', unlocked: 'not_found', anyone: 'not_found' },
};

/**
 * The one decision for everything that shows numbers without an API key: pages, their lists and CSV, shared links, and
 * all of these in a frame (pages.md; sharing.md, "Shared links").
 */
export function canView(entrance: Entrance, privacy: Privacy, viewer: PageViewer): View {
  return entrance === 'own' ? VIEWS[privacy][viewer] : VIEWS_OF_LINKS[entrance][viewer];
}
