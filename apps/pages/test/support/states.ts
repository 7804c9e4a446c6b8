import { unsubscribeToken } from '@hitherto/domain/reports';
import type { Website } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { ENGLISH, type Locale } from '@hitherto/words';
import { unsubscribePath, webhooksPath } from '../../src/shared/paths.ts';
import {
  addAlerts,
  addCleanup,
  addCoverage,
  addFindings,
  addWebhooks,
  annotate,
  changeEverything,
  define,
  dependenciesOf,
  HOSTILE,
  hostileHits,
  importSums,
  TEN_FILTERS,
} from './hostile-data.ts';
import { addMeasured } from './measured.ts';
import { PASSWORD_HASH, startPages } from './pages.ts';
import { addPeople, COMES_BACK, GUARDED, PROVIDER } from './people.ts';
import { addRunningImport } from './running-import.ts';
import { addRecipients, giveBrand, share } from './sharing.ts';

type Form = Readonly<Record<string, string>>;

/** A page in one of its states, and who looks at it. */
export interface State {
  readonly name: string;
  readonly path: string;
  readonly as: 'owner' | 'guarded' | 'nobody';
  /** Of the browser, besides its session. */
  readonly cookies: Readonly<Record<string, string>>;
  /** Fills in a form of the page and sends it, before it is looked at. */
  readonly form: Form | undefined;
  /** The button that sends it, if there are several. */
  readonly button: string | undefined;
}

const seenBy =
  (as: State['as']) =>
  (name: string, path: string, form?: Form, button?: string): State => ({ name, path, as, cookies: {}, form, button });
const owner = seenBy('owner');
const guarded = seenBy('guarded');
const nobody = seenBy('nobody');

/** The pages listening on this machine, with websites in every state and a signed-in owner. */
export async function startStates(locale: Locale = ENGLISH) {
  const pages = await startPages({ locale, mailsPeople: true, provider: PROVIDER });
  const [busy, empty, locked, hidden] = [
    await pages.addWebsite({ url: 'https://shop.example', privacy: 'public', excludedIps: ['203.0.113.0/24'] }),
    await pages.addWebsite({ url: 'https://empty.example', privacy: 'public' }),
    await pages.addWebsite({ url: 'https://guarded.example', privacy: 'password', passwordHash: PASSWORD_HASH }),
    await pages.addWebsite({
      url: `https://${'long-name.'.repeat(20)}example/${'x'.repeat(300)}`,
      privacy: 'private',
      emailReports: true,
    }),
  ];
  await pages.addHits(busy, hostileHits());
  // More than a week, before and after the days that are compared.
  await pages.addHits(
    busy,
    ['2026-10-10', '2026-11-02', '2026-11-09'].map((day) => ({ day, time: new Date(`${day}T10:00:00Z`), source: 'é' })),
  );
  pages.repositories.crawlers.add({
    ...{ websiteId: busy.id, day: '2026-11-20', operator: HOSTILE[0], purpose: 'search', page: HOSTILE[8] },
    ...{ hits: 3, hits4xx: 1 },
  });
  await pages.repositories.hits.add([], [{ websiteId: busy.id, day: '2026-11-19', reason: 'bot', hits: 12 }]);
  const { longest, hostile } = await define(pages, busy);
  const { goal, funnel, segment } = hostile;
  const chosen = new URLSearchParams({
    conversion: longest.goal.id,
    'goal.not': longest.goal.id,
    funnel: longest.funnel.id,
    segment: longest.segment.id,
  });
  const deps = dependenciesOf(pages);
  const { sessions, setup, invitation, reset, member } = await addPeople(pages, busy);
  const token = await unsubscribeToken(deps, hidden.id, { kind: 'weekly' });
  await changeEverything(pages, busy);
  const segmentLink = await share(pages, busy, { segment: segment.id });
  const guardedLink = { name: 'x'.repeat(64), password: 'x', expires_at: '2027-01-01T00:00:00Z' };
  const passwordLink = await share(pages, busy, guardedLink);
  await annotate(pages, busy);
  const cleanup = await addCleanup(pages, busy);
  const imported = await pages.addWebsite({ url: 'https://imported.example', privacy: 'public' });
  await importSums(pages, imported);
  await addRunningImport(pages, imported);
  const { failing, off } = await addWebhooks(pages, busy);
  await addAlerts(pages, busy, goal.id);
  await addFindings(pages, busy);
  const [compared, failed, reading] = await addCoverage(pages, busy);
  const read = await pages.addWebsite({ url: 'https://read.example', privacy: 'public', engagement: true });
  await addMeasured(pages, read, 6, HOSTILE[8]);
  await pages.addHits(read, hostileHits());
  const branded = await pages.addWebsite({ url: 'https://client.example', privacy: 'public' }, pages.otherAccountId);
  const brandedLock = { privacy: 'password', passwordHash: PASSWORD_HASH } as const;
  const brandedLocked = await pages.addWebsite({ url: 'https://locked.example', ...brandedLock }, pages.otherAccountId);
  await pages.addHits(branded, hostileHits());
  await giveBrand(pages, pages.otherAccountId);
  const { asked, confirmed, leaving } = await addRecipients(pages, busy);
  const url = await pages.app.listen({ host: '127.0.0.1', port: 0 });

  const statistics = ({ id }: Website, rest = '') => `/statistics/${id}${rest}`;
  const website = ({ id }: Website, rest = '') => `/websites/${id}${rest}`;
  const webhooks = webhooksPath(pages.accountId);
  const [script, image, long] = [HOSTILE[0], HOSTILE[1], HOSTILE[8]];
  const hostileFilters = `event=${encodeURIComponent(script)}&country=DE&page=${encodeURIComponent(long)}`;
  const january = 'from=2026-01-01&to=2026-01-31';
  const states: readonly State[] = [
    nobody('statistics', statistics(busy)),
    nobody('statistics of a day', statistics(busy, '?period=today&metric=visit_duration')),
    owner('statistics of a year', statistics(busy, '?period=12m&metric=bounce_rate&list=referrer')),
    owner('filtered statistics', statistics(busy, `?${hostileFilters}`)),
    nobody('statistics with goals and funnels', statistics(busy, `?${chosen}`)),
    owner('ten filters', statistics(busy, `?${TEN_FILTERS}&match=any`)),
    owner('filter with a fault', statistics(busy, '?add=country&operator=not')),
    nobody('other days with a fault', statistics(busy, '?from=2026-11-20&to=2026-11-01')),
    nobody('list with rates', statistics(busy, `/by/page?conversion=${longest.goal.id}`)),
    nobody('statistics with engaged time', statistics(read)),
    nobody('pages with means of few pageviews', statistics(read, '/by/page')),
    owner('pages by engaged time', statistics(read, '/by/page?sort=engaged_seconds&compare=previous')),
    nobody('statistics without hits', statistics(empty)),
    owner('statistics of sums', statistics(imported, `?${january}`)),
    nobody('list of sums', statistics(imported, `/by/source?${january}`)),
    owner('imports', website(imported, '/imports')),
    owner('statistics of a long address', statistics(hidden)),
    owner('live view', statistics(busy, '/live')),
    nobody('live view without visitors', statistics(empty, '/live')),
    nobody('embedded live view', statistics(busy, '/live?embed=1')),
    nobody('list', statistics(busy, '/by/page')),
    nobody('list of sources', statistics(busy, '/by/source')),
    nobody('sorted list', statistics(busy, '/by/source?sort=change&order=asc')),
    nobody('search without a find', statistics(busy, '/by/page?search=nothing%20like%20that')),
    owner('crawlers of pages', statistics(busy, '?crawlers=pages')),
    owner('list of events', statistics(busy, '/by/event')),
    nobody('why it changed', statistics(busy, '/change')),
    owner('why it changed since a year ago', statistics(busy, '/change?compare=year&metric=pageviews')),
    nobody('embedded statistics', statistics(busy, '?embed=1')),
    nobody('embedded list', statistics(busy, '/by/page?embed=1')),
    nobody('embedded form without https', statistics(locked, '?embed=1')),
    nobody('shared statistics', segmentLink.path),
    nobody('shared list', `${segmentLink.path}/by/page`),
    nobody('form for the password of a link', passwordLink.path),
    nobody('statistics in the look of an account', statistics(branded)),
    nobody('embedded statistics in the look of an account', statistics(branded, '?embed=1&theme=dark')),
    nobody('list in the look of an account', statistics(branded, '/by/page')),
    nobody('form for a password in the look of an account', statistics(brandedLocked)),
    owner('look of an account', `/accounts/${pages.accountId}/brand?saved`),
    owner('look with faults', `/accounts/${pages.accountId}/brand`, { name: '\u200b\t', accent: '#ffff00' }, 'Save'),
    owner('links', website(busy, '/links?revoked')),
    owner('annotations', website(busy, '/annotations?saved')),
    owner('annotated statistics', statistics(busy)),
    owner('annotation with faults', website(empty, '/annotations'), { day: '', text: ' ' }, 'Add the annotation'),
    owner('no links', website(empty, '/links')),
    owner('no cleanups', website(empty, '/cleanups')),
    owner('cleanups', website(busy, '/cleanups')),
    owner('cleanup', website(busy, `/cleanups/${cleanup}`)),
    owner('deletion of hidden hits', website(busy, `/cleanups/${cleanup}/erase`), { name: 'x' }),
    owner('cleanup of everything', website(busy, '/cleanups/new?device=desktop'), { name: image }, 'Hide these visits'),
    owner('preview of a cleanup', website(busy, '/cleanups/new?country=DE'), { name: image }, 'Preview'),
    owner(
      'link with faults',
      website(busy, '/links'),
      { name: ' ', last_day: '2026-11-01', password: 'x' },
      'Create the link',
    ),
    owner('new link', website(hidden, '/links'), { name: image }, 'Create the link'),
    nobody('form for the password', statistics(locked)),
    nobody('wrong password', statistics(locked), { password: 'x' }),
    nobody('not found', `/statistics/${newId()}`),
    nobody('unsubscribing', unsubscribePath(hidden.id, token)),
    owner('recipients', website(busy, '/recipients?saved')),
    owner('recipient with faults', website(empty, '/recipients'), { email: 'x' }, 'Add and ask'),
    nobody('recipient that confirms', asked),
    nobody('recipient that has confirmed', confirmed),
    nobody('recipient that unsubscribes', leaving),
    nobody('sign-in', '/'),
    nobody('wrong key', `/?next=${statistics(hidden)}`, { key: 'x' }, 'Use the key'),
    nobody('wrong password of a person', '/', { email: 'x@example.com', password: 'x' }, 'Sign in'),
    nobody('setup with faults', setup, { email: script, name: ' ', password: 'x' }, 'Sign in'),
    nobody('forgotten password', '/forgot', { email: 'x@example.com' }),
    nobody('forgotten password with faults', '/forgot', { email: 'x' }),
    nobody('link that signs in', reset, { password: 'x' }),
    nobody('invitation', invitation),
    owner('invitation of somebody else', invitation),
    owner('people', `/accounts/${pages.accountId}/people`),
    owner('invited', `/accounts/${pages.accountId}/people`, { email: 'b@example.com' }, 'Invite'),
    owner('last owner', `/accounts/${pages.accountId}/people/${member}`, {}, 'Remove'),
    owner('second factor to turn on', '/you/second-factor/app'),
    owner('second factor with faults', '/you/second-factor/app', { code: 'x', current_password: 'x' }, 'Turn it on'),
    nobody('second factor', '/sign-in', GUARDED, 'Sign in'),
    nobody('passkey', '/', {}, 'Use a passkey'),
    nobody('sign-in through a provider that is nobody', '/sign-in/oidc'),
    nobody('sign-in through a provider that nobody began', '/sign-in/oidc/callback'),
    {
      ...nobody('sign-in through a provider that is away', '/sign-in/oidc/callback?code=away'),
      cookies: COMES_BACK,
    },
    guarded('you with a second factor and passkeys', '/you'),
    guarded('new passkey', '/you/passkeys/new'),
    guarded('you with a passkey that is not removed', '/you', { current_password: 'x' }, 'Remove the passkey'),
    owner('member with keys', `/accounts/${pages.accountId}/people/${member}`),
    owner('keys of an account', `/accounts/${pages.accountId}/keys`),
    owner('new key', `/accounts/${pages.accountId}/keys`, { label: 'deploy' }, 'Create a key'),
    owner('key with faults', `/accounts/${pages.accountId}/keys`, { website_ids: 'x', label: 'x' }, 'Create a key'),
    owner('account', `/accounts/${pages.accountId}`),
    owner('account with faults', `/accounts/${pages.accountId}`, { name: 'other' }, 'Save'),
    owner('own new key', '/you', { label: image }, 'Create a key'),
    owner('you', '/you'),
    owner('you with another address', '/you', { email: 'x', current_password: 'x' }, 'Change the address'),
    owner('you with faults', '/you', { current_password: 'x', password: 'x' }, 'Change the password'),
    owner('websites', '/'),
    owner('websites not found', `/?search=${encodeURIComponent(image)}`),
    owner('new website', '/websites/new'),
    owner('settings', website(hidden)),
    owner('settings after a test report without a mail server', website(hidden), {}, 'Send a test report'),
    owner(
      'settings with faults',
      website(busy),
      { url: 'ftp://<é>', exclude_ips: `1.2.3.4\n${script}`, exclude_params: 'a=b' },
      'Save',
    ),
    owner('changes', website(busy, '/changes')),
    owner('snippet', website(busy, '/snippet')),
    owner('findings', website(busy, '/findings')),
    owner('coverage', website(busy, '/coverage')),
    owner('coverage of a log', website(busy, `/coverage/${compared}`)),
    owner('coverage that failed', website(busy, `/coverage/${failed}`)),
    owner('coverage while it is read', website(busy, `/coverage/${reading}`)),
    owner('coverage without logs', website(empty, '/coverage')),
    owner('no findings', website(empty, '/findings')),
    owner('dropped hits', website(busy, '/dropped')),
    owner(
      'checked visit',
      website(busy, '/check'),
      { url: 'https://shop.example/a?utm_source=<b>', ip: '198.51.100.7', user_agent: 'Mozilla/5.0' },
      'Check',
    ),
    owner('deletion', website(hidden, '/delete'), { address: 'x' }, 'Delete the website'),
    owner('no goals', website(empty, '/goals')),
    owner('goals', website(busy, '/goals?saved')),
    owner(
      'goal with faults',
      website(busy, '/goals/new'),
      { name: ' ', event: long, props: script, sum: long },
      'Save',
    ),
    owner(
      'preview of a goal',
      website(busy, `/goals/${goal.id}`),
      { event: script, props: '', sum: 'amount' },
      'Preview',
    ),
    owner('goal by page', website(busy, `/goals/new?page=${long}&name=مرحبا`)),
    owner(
      'goal by page with faults',
      website(busy, '/goals/new?page=/'),
      { name: 'x', scroll: 'é', seconds: '1801' },
      'Save',
    ),
    owner('funnels', website(busy, '/funnels?deleted')),
    owner(
      'funnel with faults',
      website(busy, '/funnels/new'),
      { name: ' ', step_0_name: long, step_1_name: 'مرحبا', step_1_page: '/', step_2_page: script },
      'Save',
    ),
    owner('preview of a funnel', website(busy, `/funnels/${funnel.id}`), { name: 'x' }, 'Preview'),
    owner('segments', website(busy, '/segments')),
    owner(
      'segment with faults',
      website(busy, `/segments/new?event=${encodeURIComponent(image)}&country=&match=any`),
      { name: '', filter_0_values: long, filter_2_values: 'مرحبا' },
      'Save',
    ),
    owner('preview of a segment', website(busy, `/segments/${segment.id}`), { name: 'x' }, 'Preview'),
    owner('alerts', website(busy, '/alerts')),
    owner('alert with faults', website(busy, '/alerts'), { visitors: '<é>' }, 'Add the alert'),
    owner('webhooks', webhooks),
    owner('new webhook', `${webhooks}/new`, { url: 'https://hooks.example/' }, 'Add the webhook'),
    owner(
      'webhook with faults',
      `${webhooks}/${failing}`,
      { url: 'ftp://<é>', website_ids: `${script}\n${long.slice(0, 300)}` },
      'Save',
    ),
    owner('webhook that is turned off', `${webhooks}/${off}`),
    owner('deletion of a webhook', `${webhooks}/${failing}/delete`),
    owner('deletion of a goal', website(busy, `/goals/${goal.id}/delete`)),
  ];
  return { pages, url, sessions, states, busy, empty };
}
