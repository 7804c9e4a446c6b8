// The addresses of the owner's pages (statistics.md, section 7).

export const HOME = '/';
export const SIGN_IN = '/sign-in';
export const SIGN_OUT = '/sign-out';
export const WEBSITES = '/websites';
export const NEW_WEBSITE = '/websites/new';

/** The pages of one website, in the order of their tabs. */
export const WEBSITE_PAGES = ['settings', 'snippet', 'dropped', 'check', 'delete'] as const;
export type WebsitePage = (typeof WEBSITE_PAGES)[number];

export function websitePath(id: string, page: WebsitePage = 'settings'): string {
  return page === 'settings' ? `/websites/${id}` : `/websites/${id}/${page}`;
}
