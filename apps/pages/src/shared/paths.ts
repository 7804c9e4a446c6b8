import type { Dimension } from '@hitherto/domain/hits';

// The addresses of pages. Mails link to them, so this file imports nothing that commands do without.

// The statistics of a website (pages.md). They have one path under the website's id, and one under each
// shared link (sharing.md, "Shared links"); all others are beneath such a path.

export function statisticsPath(id: string): string {
  return `/statistics/${id}`;
}

/** Of the shared link with this token. */
export function sharePath(token: string): string {
  return `/share/${token}`;
}

export function unlockPath(page: string): string {
  return `${page}/unlock`;
}

export function seriesCsvPath(page: string): string {
  return `${page}/series.csv`;
}

export function listPath(page: string, dimension: Dimension | 'property'): string {
  return `${page}/by/${dimension}`;
}

export function listCsvPath(page: string, dimension: Dimension | 'property'): string {
  return `${listPath(page, dimension)}.csv`;
}

/** Why a number changed. */
export function changePath(page: string): string {
  return `${page}/change`;
}

/** The visitors of the last half hour. */
export function livePath(page: string): string {
  return `${page}/live`;
}

/** The frequent values of a subject, for the form that adds a filter. */
export function suggestionsPath(page: string): string {
  return `${page}/suggestions`;
}

export function goalsCsvPath(page: string): string {
  return `${page}/goals.csv`;
}

export function funnelCsvPath(page: string, funnelId: string): string {
  return `${page}/funnels/${funnelId}.csv`;
}

/** A logo of an account, or a style sheet with an accent. */
export const BRAND_FILE = '/brand/:name';

/** @param name that the domain gave it */
export function logoPath(name: string): string {
  return `/brand/${name}`;
}

/** @param accent `#rrggbb` */
export function accentPath(accent: string): string {
  return `/brand/accent-${accent.slice(1)}.css`;
}

/** The path under which reports are turned off without signing in. */
export const UNSUBSCRIBE = '/reports/unsubscribe';

/** Where a recipient of reports confirms, with the token of a mail. */
export const CONFIRM = '/reports/confirm';

/** The unsubscribe address in the mails about a website. */
export function unsubscribePath(websiteId: string, token: string): string {
  return `${UNSUBSCRIBE}?website=${websiteId}&token=${token}`;
}

// The owner's pages (pages.md).

export const HOME = '/';
export const SIGN_IN = '/sign-in';
/** Where somebody who has shown who they are enters a code, too. */
export const SECOND_FACTOR = '/sign-in/second-factor';
/** Leads to the sign-in provider. */
export const SIGN_IN_PROVIDER = '/sign-in/oidc';
/** Where the provider leads back to. */
export const PROVIDER_CALLBACK = `${SIGN_IN_PROVIDER}/callback`;
/** Where somebody begins to sign in with a passkey. */
export const SIGN_IN_PASSKEY = '/sign-in/passkey';
export const SIGN_OUT = '/sign-out';

// People (people.md).

/** Where somebody becomes the first owner: with the link of the first start, or signed in with a key. */
export const SETUP = '/setup';
export const ADD_YOURSELF = '/add-yourself';
export const INVITATIONS = '/invitations';
export const YOU = '/you';
/** Where a link for a new password is asked for, and where such a link, or one that signs in, leads. */
export const FORGOT = '/forgot';
export const RESET = '/reset';

/** What a person changes about themself, each with a form of its own. */
export function youPath(
  part: 'name' | 'address' | 'password' | 'provider' | 'second-factor' | 'passkeys' | 'keys' | 'mails' | 'sessions',
): string {
  return `${YOU}/${part}`;
}

/** Where the second factor is turned on with an app, where it is turned off, and where new recovery codes are made. */
export function secondFactorPath(form: 'app' | 'off' | 'codes'): string {
  return `${youPath('second-factor')}/${form}`;
}

/** Where a passkey is made, and where one is removed. */
export function passkeysPath(form: 'new' | 'remove'): string {
  return `${youPath('passkeys')}/${form}`;
}

/** The name and the address of an account. */
export function accountPath(accountId: string): string {
  return `/accounts/${accountId}`;
}

/** The keys of an account, or the form that revokes one. */
export function accountKeysPath(accountId: string, keyId?: string): string {
  const keys = `${accountPath(accountId)}/keys`;
  return keyId === undefined ? keys : `${keys}/${keyId}/revoke`;
}

/** How the public pages and the mails of an account look. */
export function brandPath(accountId: string): string {
  return `${accountPath(accountId)}/brand`;
}

/** The people of an account, or one of them. */
export function peoplePath(accountId: string, personId?: string, action?: 'remove'): string {
  const people = `/accounts/${accountId}/people`;
  return personId === undefined
    ? people
    : action === undefined
      ? `${people}/${personId}`
      : `${people}/${personId}/${action}`;
}

/** The invitations of an account, or a form about one: `link` makes a link to hand over, in place of the mailed one. */
export function invitationsPath(accountId: string, id?: string, form: 'revoke' | 'link' = 'revoke'): string {
  const invitations = `/accounts/${accountId}/invitations`;
  return id === undefined ? invitations : `${invitations}/${id}/${form}`;
}

export const WEBSITES = '/websites';
export const NEW_WEBSITE = '/websites/new';
/** The list of websites as CSV. */
export const OVERVIEW_CSV = '/websites/overview.csv';

/** The pages of one website by intention, in the order in which they are offered. */
export const WEBSITE_PAGE_GROUPS = [
  { name: 'numbers', pages: ['goals', 'funnels', 'segments', 'annotations', 'cleanups'] },
  { name: 'sharing', pages: ['links', 'recipients', 'alerts'] },
  { name: 'collecting', pages: ['findings', 'snippet', 'dropped', 'check', 'imports', 'coverage'] },
  { name: 'website', pages: ['settings', 'changes', 'move', 'delete'] },
] as const;

export const WEBSITE_PAGES = WEBSITE_PAGE_GROUPS.flatMap(({ pages }): readonly WebsitePage[] => pages);
export type WebsitePage = (typeof WEBSITE_PAGE_GROUPS)[number]['pages'][number];

/** The path of a page of a website; its settings are the website itself. */
export function websitePath(id: string, page: WebsitePage = 'settings'): string {
  return page === 'settings' ? `/websites/${id}` : `/websites/${id}/${page}`;
}

/** Dismisses a finding, or changes the settings that close it. */
export function findingPath(id: string, findingId: string, action: 'dismiss' | 'fix'): string {
  return `${websitePath(id, 'findings')}/${findingId}/${action}`;
}

/** Sends a report of a website as a test. */
export function reportTestPath(id: string): string {
  return `${websitePath(id)}/report-test`;
}

/** Where an import is deleted. */
export function importPath(id: string, importId: string): string {
  return `${websitePath(id, 'imports')}/${importId}`;
}

/** Where a file is imported that was uploaded and previewed. */
export function startImportPath(id: string): string {
  return importPath(id, 'start');
}

/** The coverage that an uploaded log has shown. */
export function coveragePath(id: string, reportId: string): string {
  return `${websitePath(id, 'coverage')}/${reportId}`;
}

/** Leads to the webhooks of an account. */
export const WEBHOOKS = '/webhooks';

/** The webhooks of an account. */
export function webhooksPath(accountId: string): string {
  return `${accountPath(accountId)}/webhooks`;
}

// The resources of a website or an account. Their addresses begin with the one of their list.

/** The form for a new one. */
export function newResourcePath(list: string): string {
  return `${list}/new`;
}

/** A resource, by its id, or an action on it. */
export function resourcePath(
  list: string,
  id: string,
  action?: 'delete' | 'revoke' | 'test' | 'retry' | 'erase',
): string {
  return action === undefined ? `${list}/${id}` : `${list}/${id}/${action}`;
}
