import { randomBytes } from 'node:crypto';
import { newId } from '@hitherto/adapters/system';
import {
  addDays,
  type CountedHit,
  createAlert,
  createDefinition,
  createWebhook,
  type DaySum,
  GAPS,
  type ImportCounts,
  NO_TOTALS,
  parseNewFunnel,
  parseNewGoal,
  parseNewSegment,
  parseWebsiteChanges,
  signIn,
  timeZone,
  unsubscribeToken,
  updateWebsite,
  type Website,
} from '@hitherto/domain';
import { AN_AUTHOR, anAnnotation } from '@hitherto/domain/testing';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import { unsubscribePath } from '../../src/shared/paths.ts';
import { PASSWORD_HASH, type PagesUnderTest, startPages } from './pages.ts';
import { share } from './sharing.ts';

/** Texts that break out of markup, attributes, addresses and styles where they are not escaped. */
export const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'); alert(1); ('",
  'javascript:alert(1)',
  '</title><svg onload=alert(1)>',
  '{{7*7}} <%= 7*7 %>',
  '\u202eesrever\u2066',
  'é 🦊 ﷽',
  `/${'x'.repeat(1_900)}`,
] as const;

export type Signed = 'owner' | 'nobody';

/** A page in one of its states, and who looks at it. */
export interface State {
  readonly name: string;
  readonly path: string;
  readonly as: Signed;
  /** Fills in a form of the page and sends it, before it is looked at. */
  readonly form?: Readonly<Record<string, string>>;
  /** The button that sends it, if there are several. */
  readonly button?: string;
}

/** The pages listening on this machine, with websites in every state and a signed-in owner. */
export async function startStates() {
  const pages = await startPages();
  const [busy, empty, guarded, hidden] = [
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
  const shown = await define(pages, busy);
  const chosen = new URLSearchParams({
    conversion: shown.goal.id,
    'goal.not': shown.goal.id,
    funnel: shown.funnel.id,
    segment: shown.segment.id,
  });
  await pages.repositories.hits.add([], [{ websiteId: busy.id, day: '2026-11-19', reason: 'bot', hits: 12 }]);
  const deps = { ...pages.repositories, now: pages.clock.now, randomBytes };
  const { text: session = '' } = (await signIn(deps, await pages.issueKey(pages.accountId))) ?? {};
  const definitions = await defineHostile(pages, busy.id);
  const token = await unsubscribeToken(deps, hidden.id);
  await changeEverything(pages, busy);
  const links = [
    await share(pages, busy, { segment: definitions.segment.id }),
    await share(pages, busy, { name: 'x'.repeat(64), password: 'x', expires_at: '2027-01-01T00:00:00Z' }),
  ];
  await annotate(pages, busy);
  const imported = await pages.addWebsite({ url: 'https://imported.example', privacy: 'public' });
  await importSums(pages, imported);
  const { failing, off } = await addWebhooks(pages, busy);
  await addAlerts(pages, busy, definitions.goal.id);
  const url = await pages.app.listen({ host: '127.0.0.1', port: 0 });

  const of = (id: string, rest = '') => `/statistics/${id}${rest}`;
  const states: readonly State[] = [
    { name: 'statistics', path: of(busy.id), as: 'nobody' },
    { name: 'statistics of a day', path: of(busy.id, '?period=today&metric=visit_duration'), as: 'nobody' },
    { name: 'statistics of a year', path: of(busy.id, '?period=12m&metric=bounce_rate&list=referrer'), as: 'owner' },
    {
      name: 'filtered statistics',
      path: of(busy.id, `?event=${encodeURIComponent(HOSTILE[0])}&country=DE&page=${encodeURIComponent(HOSTILE[8])}`),
      as: 'owner',
    },
    {
      name: 'statistics with goals and funnels',
      path: of(busy.id, `?${chosen}`),
      as: 'nobody',
    },
    { name: 'ten filters', path: of(busy.id, `?${TEN_FILTERS}&match=any`), as: 'owner' },
    { name: 'filter with a fault', path: of(busy.id, '?add=country&operator=not'), as: 'owner' },
    { name: 'list with rates', path: of(busy.id, `/by/page?conversion=${shown.goal.id}`), as: 'nobody' },
    { name: 'statistics without hits', path: of(empty.id), as: 'nobody' },
    { name: 'statistics of sums', path: of(imported.id, '?from=2026-01-01&to=2026-01-31'), as: 'owner' },
    { name: 'list of sums', path: of(imported.id, '/by/source?from=2026-01-01&to=2026-01-31'), as: 'nobody' },
    { name: 'imports', path: `/websites/${imported.id}/imports`, as: 'owner' },
    { name: 'statistics of a long address', path: of(hidden.id), as: 'owner' },
    { name: 'list', path: of(busy.id, '/by/page'), as: 'nobody' },
    { name: 'list of sources', path: of(busy.id, '/by/source'), as: 'nobody' },
    { name: 'list of events', path: of(busy.id, '/by/event'), as: 'owner' },
    { name: 'embedded statistics', path: of(busy.id, '?embed=1'), as: 'nobody' },
    { name: 'embedded list', path: of(busy.id, '/by/page?embed=1'), as: 'nobody' },
    { name: 'embedded form without https', path: of(guarded.id, '?embed=1'), as: 'nobody' },
    { name: 'shared statistics', path: links[0]?.path ?? '', as: 'nobody' },
    { name: 'shared list', path: `${links[0]?.path}/by/page`, as: 'nobody' },
    { name: 'form for the password of a link', path: links[1]?.path ?? '', as: 'nobody' },
    { name: 'links', path: `/websites/${busy.id}/links?revoked`, as: 'owner' },
    { name: 'annotations', path: `/websites/${busy.id}/annotations?saved`, as: 'owner' },
    { name: 'annotated statistics', path: of(busy.id), as: 'owner' },
    {
      name: 'annotation with faults',
      path: `/websites/${empty.id}/annotations`,
      as: 'owner',
      form: { day: '', text: ' ' },
      button: 'Add the annotation',
    },
    { name: 'no links', path: `/websites/${empty.id}/links`, as: 'owner' },
    {
      name: 'link with faults',
      path: `/websites/${busy.id}/links`,
      as: 'owner',
      form: { name: ' ', last_day: '2026-11-01' },
      button: 'Create the link',
    },
    {
      name: 'new link',
      path: `/websites/${hidden.id}/links`,
      as: 'owner',
      form: { name: HOSTILE[1] },
      button: 'Create the link',
    },
    { name: 'form for the password', path: of(guarded.id), as: 'nobody' },
    { name: 'wrong password', path: of(guarded.id), as: 'nobody', form: { password: 'x' } },
    { name: 'not found', path: of(newId()), as: 'nobody' },
    { name: 'unsubscribing', path: unsubscribePath(hidden.id, token), as: 'nobody' },
    { name: 'sign-in', path: '/', as: 'nobody' },
    { name: 'wrong key', path: '/', as: 'nobody', form: { key: 'x' } },
    { name: 'websites', path: '/', as: 'owner' },
    { name: 'websites not found', path: `/?search=${encodeURIComponent(HOSTILE[1])}`, as: 'owner' },
    { name: 'new website', path: '/websites/new', as: 'owner' },
    { name: 'settings', path: `/websites/${hidden.id}`, as: 'owner' },
    {
      name: 'settings with faults',
      path: `/websites/${busy.id}`,
      as: 'owner',
      form: { url: 'ftp://<é>', exclude_ips: `1.2.3.4\n${HOSTILE[0]}`, exclude_params: 'a=b' },
      button: 'Save',
    },
    { name: 'changes', path: `/websites/${busy.id}/changes`, as: 'owner' },
    { name: 'snippet', path: `/websites/${busy.id}/snippet`, as: 'owner' },
    { name: 'dropped hits', path: `/websites/${busy.id}/dropped`, as: 'owner' },
    {
      name: 'checked visit',
      path: `/websites/${busy.id}/check`,
      as: 'owner',
      form: { url: 'https://shop.example/a?utm_source=<b>', ip: '198.51.100.7', user_agent: 'Mozilla/5.0' },
      button: 'Check',
    },
    {
      name: 'deletion',
      path: `/websites/${hidden.id}/delete`,
      as: 'owner',
      form: { address: 'x' },
      button: 'Delete the website',
    },
    { name: 'no goals', path: `/websites/${empty.id}/goals`, as: 'owner' },
    { name: 'goals', path: `/websites/${busy.id}/goals?saved`, as: 'owner' },
    {
      name: 'goal with faults',
      path: `/websites/${busy.id}/goals/new`,
      as: 'owner',
      form: { name: ' ', event: HOSTILE[8], props: HOSTILE[0], sum: HOSTILE[8] },
      button: 'Save',
    },
    {
      name: 'preview of a goal',
      path: `/websites/${busy.id}/goals/${definitions.goal.id}`,
      as: 'owner',
      form: { event: HOSTILE[0], props: '', sum: 'amount' },
      button: 'Preview',
    },
    { name: 'goal by page', path: `/websites/${busy.id}/goals/new?page=${HOSTILE[8]}&name=مرحبا`, as: 'owner' },
    { name: 'funnels', path: `/websites/${busy.id}/funnels?deleted`, as: 'owner' },
    {
      name: 'funnel with faults',
      path: `/websites/${busy.id}/funnels/new`,
      as: 'owner',
      form: { name: ' ', step_0_name: HOSTILE[8], step_1_name: 'مرحبا', step_1_page: '/', step_2_page: HOSTILE[0] },
      button: 'Save',
    },
    {
      name: 'preview of a funnel',
      path: `/websites/${busy.id}/funnels/${definitions.funnel.id}`,
      as: 'owner',
      form: { name: 'x' },
      button: 'Preview',
    },
    { name: 'segments', path: `/websites/${busy.id}/segments`, as: 'owner' },
    {
      name: 'segment with faults',
      path: `/websites/${busy.id}/segments/new?event=${encodeURIComponent(HOSTILE[1])}&country=&match=any`,
      as: 'owner',
      form: { name: '', filter_0_values: HOSTILE[8], filter_2_values: 'مرحبا' },
      button: 'Save',
    },
    {
      name: 'preview of a segment',
      path: `/websites/${busy.id}/segments/${definitions.segment.id}`,
      as: 'owner',
      form: { name: 'x' },
      button: 'Preview',
    },
    { name: 'alerts', path: `/websites/${busy.id}/alerts`, as: 'owner' },
    {
      name: 'alert with faults',
      path: `/websites/${busy.id}/alerts`,
      as: 'owner',
      form: { hours: 'é', threshold: '0', percent: '<b>' },
      button: 'Add the alert',
    },
    { name: 'webhooks', path: '/webhooks', as: 'owner' },
    {
      name: 'new webhook',
      path: '/webhooks/new',
      as: 'owner',
      form: { url: 'https://hooks.example/' },
      button: 'Add the webhook',
    },
    {
      name: 'webhook with faults',
      path: `/webhooks/${failing}`,
      as: 'owner',
      form: { url: 'ftp://<é>', website_ids: `${HOSTILE[0]}\n${HOSTILE[8].slice(0, 300)}` },
      button: 'Save',
    },
    { name: 'webhook that is turned off', path: `/webhooks/${off}`, as: 'owner' },
    { name: 'deletion of a webhook', path: `/webhooks/${failing}/delete`, as: 'owner' },
    { name: 'deletion of a goal', path: `/websites/${busy.id}/goals/${definitions.goal.id}/delete`, as: 'owner' },
  ];
  return { pages, url, session, states, busy, empty };
}

/** An alert of each rule. */
async function addAlerts(pages: PagesUnderTest, website: Website, goalId: string) {
  const zone = timeZone('UTC');
  const deps = { ...pages.repositories, zone, now: pages.clock.now, newId, author: AN_AUTHOR };
  const key = { accountId: pages.accountId, websiteId: website.id };
  const inputs = [
    { rule: 'spike' },
    { rule: 'drop' },
    { rule: 'silence', hours: 1 },
    { rule: 'goal', goalId, threshold: 5 },
    { rule: 'dropped', percent: 50 },
  ] as const;
  for (const input of inputs) await createAlert(deps, key, input);
}

/** A webhook with deliveries in every state, and one that is turned off. */
async function addWebhooks(pages: PagesUnderTest, website: Website) {
  const { webhooks, webhookOutbox, websites } = pages.repositories;
  const { accountId } = pages;
  const deps = { ...pages.repositories, now: pages.clock.now, newId, randomBytes, author: AN_AUTHOR };
  const events = ['report.ready', 'website.deleted'] as const;
  const { id: failing } = await createWebhook(deps, accountId, {
    url: `https://${'long-name.'.repeat(20)}example/`,
    events,
  });
  const week = { name: '2026-W47', from: '2026-11-16', to: '2026-11-22' };
  const event = { type: 'report.ready', at: pages.clock.now(), data: { website, week } } as const;
  for (let count = 0; count < 3; count += 1) {
    const told = { ...event, accountId, websiteId: count === 0 ? website.id : newId() };
    await websites.replace(accountId, website, website.updatedAt, undefined, told);
  }
  const at = pages.clock.now();
  const failure = { at, responseCode: 500, outcome: 'failed', error: HOSTILE[1], counts: true } as const;
  for (const retryAt of [new Date(at.getTime() + 60_000), undefined]) {
    const delivery = await webhookOutbox.claim(at, new Date(at.getTime() + 60_000));
    if (delivery !== undefined) await webhookOutbox.finish(delivery, { ...failure, retryAt });
  }
  const { id: off } = await createWebhook(deps, accountId, { url: 'https://off.example/', events, format: 'discord' });
  const stored = await webhooks.find(accountId, off);
  if (stored !== undefined) {
    await webhooks.replace(
      accountId,
      { ...stored, isActive: false, updatedAt: new Date(at.getTime() + 1) },
      stored.updatedAt,
    );
  }
  return { failing, off };
}

/** A goal, a funnel and others of their kind, with hostile texts in every place that the owner's texts come to. */
async function defineHostile(pages: PagesUnderTest, websiteId: string) {
  const deps = { ...pages.repositories, now: pages.clock.now, newId, author: AN_AUTHOR };
  const website = { accountId: pages.accountId, websiteId };
  const inputs = HOSTILE.map((text, index) => {
    const name = `${text}${index}`.slice(-64).trim();
    const [property, value] = [text.slice(0, 40).replaceAll('=', '').trim(), text.slice(0, 200)];
    const event = { event: text.slice(0, 64), props: { [property]: value } };
    return { name, property, ...(index % 3 === 0 ? event : { page: `/${text}*` }) };
  });
  const goals = inputs.map(({ property, ...input }) =>
    parseNewGoal('event' in input ? { ...input, sum: property } : input),
  );
  const steps = inputs.slice(0, 8).map(({ property: _, ...step }) => step);
  const funnels = ['x'.repeat(64), 'مرحبا'].map((name) => parseNewFunnel({ name, steps }));
  const stored = await Promise.all(goals.map((input) => createDefinition(deps, 'goal', website, input)));
  const [goal] = stored;
  const [funnel] = await Promise.all(funnels.map((input) => createDefinition(deps, 'funnel', website, input)));
  const filters: [string, string[]][] = inputs.map(({ name, property }, index) => [
    ['event.contains', `props[${property}].not`, 'utm_campaign.like'][index] ?? `props[${index}]`,
    [name, property],
  ]);
  filters.push(['goal', stored.slice(0, 3).map(({ id }) => id)]);
  const segments = ['x'.repeat(64), 'مرحبا'].map((name) => parseNewSegment({ name, filters, match: 'any' }));
  const [segment] = await Promise.all(segments.map((input) => createDefinition(deps, 'segment', website, input)));
  if (goal === undefined || funnel === undefined || segment === undefined) throw new Error('There is no hostile text.');
  return { goal, funnel, segment };
}

const TEN_FILTERS = new URLSearchParams([
  ...['DE', 'FR', 'AT', '<b>'].map((country) => ['country.not', country]),
  ...HOSTILE.slice(0, 8).flatMap((text) => [
    ['page.not_contains', text],
    ['source.not', text],
  ]),
  ...['page.contains', 'page.like', 'os.not_like', 'event.not', 'browser.not', 'device', 'host.contains'].map(
    (name) => [name, 'x'.repeat(name === 'page.like' ? 1_900 : 20)],
  ),
]);

/** A goal, a funnel and a segment of each hostile name that is allowed. */
async function define({ repositories, clock, accountId }: PagesUnderTest, { id: websiteId }: Website) {
  const deps = { definitions: repositories.definitions, now: clock.now, newId, author: AN_AUTHOR };
  const website = { accountId, websiteId };
  const defined = [];
  for (const name of [...HOSTILE.slice(0, 4), 'محمد'.repeat(16), 'M'.repeat(64)]) {
    const step = { name, page: '/*' };
    defined.push({
      goal: await createDefinition(deps, 'goal', website, parseNewGoal({ name, page: '/*script*' })),
      funnel: await createDefinition(deps, 'funnel', website, parseNewFunnel({ name, steps: [step, step, step] })),
      segment: await createDefinition(
        deps,
        'segment',
        website,
        parseNewSegment({ name, filters: [['page.not', [name]]] }),
      ),
    });
  }
  await createDefinition(deps, 'goal', website, parseNewGoal({ name: 'Sum', event: 'Signup', sum: 'amount' }));
  const last = defined.at(-1);
  if (last === undefined) throw new Error('Nothing was defined.');
  return last;
}

/** Annotations with hostile texts, some on one day. */
async function annotate({ repositories, accountId }: PagesUnderTest, { id: websiteId }: Website): Promise<void> {
  for (const [index, hostile] of HOSTILE.entries()) {
    const text = hostile.slice(0, 200);
    const day = addDays('2026-11-20', -(index % 4) * 3);
    const annotation = anAnnotation({ id: newId(), day, text, isPublic: index % 2 === 0 });
    await repositories.annotations.insert({ accountId, websiteId }, annotation);
  }
}

/** An import of sums with hostile texts: of at most so many visitors, and of no visits. */
async function importSums({ repositories, clock, accountId }: PagesUnderTest, { id: websiteId }: Website) {
  const [id, now] = [newId(), clock.now()];
  const sums = HOSTILE.flatMap((text, index): DaySum[] => {
    const day = `2026-01-0${index + 1}`;
    const numbers = { ...NO_TOTALS, visitors: 4, pageviews: 9, gaps: GAPS.visitorsAtMost | GAPS.visits };
    return [
      { ...numbers, day, kind: 'total', value: null },
      ...(['page', 'source', 'country'] as const).map((kind) => ({ ...numbers, day, kind, value: text })),
    ];
  });
  const counts: ImportCounts = {
    from: '2026-01-01',
    to: '2026-01-09',
    hits: 81,
    days: 9,
    rows: sums.length,
    share: 1,
    skipped: [{ reason: 'faulty', rows: 1, example: HOSTILE[1] }],
    sums: ['page', 'source', 'country'],
  };
  const running = { format: 'fathom', sha256: '0'.repeat(64), status: 'running', problem: null } as const;
  await repositories.imports.insert({ accountId, websiteId }, { ...counts, ...running, id, websiteId, createdAt: now });
  await repositories.imports.begin(id, now);
  await repositories.history.stageSums(id, sums);
  await repositories.history.publish(id, counts, now);
}

/** A change of every field of a website, with hostile texts. */
async function changeEverything({ repositories, clock, accountId }: PagesUnderTest, { id }: Website): Promise<void> {
  const deps = { ...repositories, passwords: quickHasher, now: clock.now, newId, author: AN_AUTHOR };
  const excludedParams = HOSTILE.filter((text) => !/[=&]/.test(text)).map((text) => text.slice(0, 200));
  const changes = parseWebsiteChanges({
    privacy: 'public',
    emailReports: true,
    excludedParams,
    excludedIps: [],
    timeZone: 'Europe/Berlin',
    password: 'x',
  });
  await updateWebsite(deps, accountId, id, changes);
  await updateWebsite(
    deps,
    accountId,
    id,
    parseWebsiteChanges({ timeZone: '', excludedParams: [], emailReports: false }),
  );
}

/** Visits of every one of the last 60 days, with hostile texts in every place that outside texts come to. */
function hostileHits(): Partial<CountedHit>[] {
  return Array.from({ length: 180 }, (_, index) => {
    const text = HOSTILE[index % HOSTILE.length] ?? '';
    const day = addDays('2026-11-20', -(index % 60));
    return {
      day,
      time: new Date(`${day}T${String(index % 12).padStart(2, '0')}:30:00Z`),
      visitor: BigInt(index),
      page: text.startsWith('/') ? text : `/${text}`,
      referrer: text,
      source: text,
      channel: index % 2 === 0 ? 'Search' : 'Direct',
      utmCampaign: text,
      country: index % 3 === 0 ? 'DE' : text.slice(0, 2),
      language: text.slice(0, 3),
      browser: text,
      os: text,
      name: index % 4 === 0 ? text.slice(0, 64) : null,
      props: index % 4 === 0 ? { [text.slice(0, 40)]: text.slice(0, 200) } : null,
    } as const;
  });
}
