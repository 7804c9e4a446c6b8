import type { Privacy } from '../../website/settings.ts';

/** Who requests a statistics page: the signed-in owner, somebody with a valid unlock, or anyone else. */
export type Viewer = 'owner' | 'unlocked' | 'anyone';

/** The response to a viewer. "Not found" is the same as for a website that does not exist. */
export type View = 'page' | 'form' | 'not_found';

const VIEWS: Record<Privacy, Record<Viewer, View>> = {
  public: { owner: 'page', unlocked: 'page', anyone: 'page' },
  private: { owner: 'page', unlocked: 'not_found', anyone: 'not_found' },
  password: { owner: 'page', unlocked: 'page', anyone: 'form' },
};

/** The one decision for everything that shows numbers without an API key (statistics.md, section 6). */
export function canView(privacy: Privacy, viewer: Viewer): View {
  return VIEWS[privacy][viewer];
}
