import { randomBytes } from 'node:crypto';
import { createAlert, parseAlert } from '@hitherto/domain/alerts';
import { addDays, type TimeZone, timeZone } from '@hitherto/domain/calendar';
import { type Author, UNRECORDED } from '@hitherto/domain/changes';
import type { Finding } from '@hitherto/domain/checks';
import { CLEANUP, type Cleanup, parseNewCleanup } from '@hitherto/domain/cleanups';
import type { CountedHit } from '@hitherto/domain/hits';
import type { ImportCounts } from '@hitherto/domain/imports';
import type { Coverage, CoverageReport } from '@hitherto/domain/insight';
import { createResource } from '@hitherto/domain/resources';
import { type DaySum, GAPS, NO_TOTALS } from '@hitherto/domain/visits';
import { parseNewWebhook, WEBHOOK } from '@hitherto/domain/webhooks';
import {
  type PasswordHasher,
  parseWebsiteChanges,
  updateWebsite,
  type Website,
  type WebsiteInput,
  wholeAccount,
} from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { AN_AUTHOR, anAnnotation } from '@hitherto/testing/fixtures';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import { definer } from './definitions.ts';
import type { PagesUnderTest } from './pages.ts';

/** Strings that break out of markup, attributes, addresses and styles where they are not escaped. */
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

interface OtherDependencies {
  readonly zone: TimeZone;
  readonly passwords: PasswordHasher;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly author: Author;
}

/** The dependencies of the domain's use cases. */
export const dependenciesOf = ({
  repositories,
  clock,
}: PagesUnderTest): PagesUnderTest['repositories'] & OtherDependencies => ({
  ...repositories,
  zone: timeZone('UTC'),
  passwords: quickHasher,
  now: clock.now,
  newId,
  randomBytes,
  author: AN_AUTHOR,
});

/** Visits of every one of the last 60 days, with hostile strings in every place where strings from outside appear. */
export function hostileHits(): Partial<CountedHit>[] {
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

/**
 * Goals, funnels and segments: `longest` have the longest name, and visits reach them; `hostile` have hostile strings in
 * every place where the owner's strings appear.
 */
export async function define(pages: PagesUnderTest, website: Website) {
  const { addGoal, addFunnel, addSegment } = definer(pages, website);
  const addNamed = async (name: string) => {
    const step = { name, page: '/*' };
    return {
      goal: await addGoal({ name, page: '/*script*' }),
      funnel: await addFunnel({ name, steps: [step, step, step] }),
      segment: await addSegment({ name, filters: [['page.not', [name]]] }),
    };
  };
  for (const name of [...HOSTILE.slice(0, 4), 'محمد'.repeat(16)]) await addNamed(name);
  const longest = await addNamed('M'.repeat(64));
  await addGoal({ name: 'Sum', event: 'Signup', sum: 'amount' });

  const rules = HOSTILE.map((text, index) => {
    const name = `${text}${index}`.slice(-64).trim();
    const [property, value] = [text.slice(0, 40).replaceAll('=', '').trim(), text.slice(0, 200)];
    const event = { event: text.slice(0, 64), props: { [property]: value } };
    return { name, property, ...(index % 3 === 0 ? event : { page: `/${text}*` }) };
  });
  const goals = await Promise.all(
    rules.map(({ property, ...rule }) => addGoal('event' in rule ? { ...rule, sum: property } : rule)),
  );
  const steps = rules.slice(0, 8).map(({ property: _, ...step }) => step);
  const filters: [string, string[]][] = rules.map(({ name, property }, index) => [
    ['event.contains', `props[${property}].not`, 'utm_campaign.like'][index] ?? `props[${index}]`,
    [name, property],
  ]);
  filters.push(['goal', goals.slice(0, 3).map(({ id }) => id)]);
  const addLong = async (name: string) => ({
    funnel: await addFunnel({ name, steps }),
    segment: await addSegment({ name, filters, match: 'any' }),
  });
  const long = await addLong('x'.repeat(64));
  await addLong('مرحبا');
  const [goal] = goals;
  if (goal === undefined) throw new Error('There is no hostile text.');
  return { longest, hostile: { goal, ...long } };
}

/** The query of a page with ten filters. */
export const TEN_FILTERS = new URLSearchParams([
  ...['DE', 'FR', 'AT', '<b>'].map((country) => ['country.not', country]),
  ...HOSTILE.slice(0, 8).flatMap((text) => [
    ['page.not_contains', text],
    ['source.not', text],
  ]),
  ...['page.contains', 'page.like', 'os.not_like', 'event.not', 'browser.not', 'device', 'host.contains'].map(
    (name) => [name, 'x'.repeat(name === 'page.like' ? 1_900 : 20)],
  ),
]);

/** Annotations with hostile strings, some on one day. */
export async function annotate({ repositories, accountId }: PagesUnderTest, { id: websiteId }: Website): Promise<void> {
  for (const [index, hostile] of HOSTILE.entries()) {
    const text = hostile.slice(0, 200);
    const day = addDays('2026-11-20', -(index % 4) * 3);
    const annotation = anAnnotation({ id: newId(), day, text, isPublic: index % 2 === 0 });
    await repositories.annotations.insert({ accountId, websiteId }, annotation, UNRECORDED);
  }
}

/** A cleanup with a hostile name, which hides nothing. Returns its id. */
export async function addCleanup({ repositories, accountId, clock }: PagesUnderTest, { id: websiteId }: Website) {
  const rule = parseNewCleanup({ name: '<img src=x onerror=alert(1)>', filters: [['country', ['ZZ']]] });
  const cleanup = CLEANUP.make({ now: clock.now, newId }, rule);
  const hidden = { visits: 214, hits: 300, keptFrom: '2026-01-01' };
  const active: Cleanup = { ...cleanup, status: 'active', hidden, erasedAt: clock.now() };
  await repositories.cleanups.insert({ accountId, websiteId }, active, UNRECORDED);
  return active.id;
}

/** An import of sums with hostile strings: of at most so many visitors, and of no visits. */
export async function importSums({ repositories, clock, accountId }: PagesUnderTest, { id: websiteId }: Website) {
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
  await repositories.imports.insert(
    { accountId, websiteId },
    { ...counts, ...running, id, websiteId, createdAt: now },
    UNRECORDED,
  );
  await repositories.imports.begin(id, now);
  await repositories.staging.stageSums(id, sums);
  await repositories.staging.publish(id, counts, now, undefined, undefined);
}

/** A change of every field of a website, with hostile strings. */
export async function changeEverything(pages: PagesUnderTest, { id }: Website): Promise<void> {
  const excludedParams = HOSTILE.filter((text) => !/[=&]/.test(text)).map((text) => text.slice(0, 200));
  const update = (changes: WebsiteInput) =>
    updateWebsite(dependenciesOf(pages), wholeAccount(pages.accountId), id, parseWebsiteChanges(changes));
  await update({
    privacy: 'public',
    emailReports: true,
    excludedParams,
    excludedIps: [],
    timeZone: 'Europe/Berlin',
    password: 'x',
  });
  await update({ timeZone: '', excludedParams: [], emailReports: false });
}

/** An alert of each rule. */
export async function addAlerts(pages: PagesUnderTest, website: Website, goalId: string) {
  const key = { accountId: pages.accountId, websiteId: website.id };
  const inputs = [
    { rule: 'spike' },
    { rule: 'drop' },
    { rule: 'silence', hours: 1 },
    { rule: 'goal', goal_id: goalId, threshold: 5 },
    { rule: 'dropped', percent: 50 },
  ] as const;
  for (const input of inputs) await createAlert(dependenciesOf(pages), key, parseAlert(input));
}

/** A webhook with deliveries in every state, and one that is turned off. */
export async function addWebhooks(pages: PagesUnderTest, website: Website) {
  const { webhooks, webhookOutbox, websites } = pages.repositories;
  const { accountId } = pages;
  const deps = dependenciesOf(pages);
  const events = ['report.ready', 'website.deleted'] as const;
  const address = `https://${'long-name.'.repeat(20)}example/`;
  const { id: failing } = await createResource(deps, WEBHOOK, { accountId }, parseNewWebhook({ url: address, events }));
  const { passwordHash: _, createdAt, updatedAt, ...state } = website;
  const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  const data = { website: { ...state, hasPassword: false, ...times }, changes: [] };
  const event = { type: 'website.deleted', at: pages.clock.now(), data } as const;
  for (let count = 0; count < 3; count += 1) {
    const told = { ...event, accountId, websiteId: count === 0 ? website.id : newId() };
    await websites.replace(accountId, website, website.updatedAt, { ...UNRECORDED, event: told });
  }
  const at = pages.clock.now();
  const failure = { at, responseCode: 500, outcome: 'failed', error: HOSTILE[1], counts: true } as const;
  for (const retryAt of [new Date(at.getTime() + 60_000), undefined]) {
    const delivery = await webhookOutbox.claim(at, new Date(at.getTime() + 60_000));
    if (delivery !== undefined) await webhookOutbox.finish(delivery, { ...failure, retryAt });
  }
  const discord = parseNewWebhook({ url: 'https://off.example/', events, format: 'discord' });
  const { id: off } = await createResource(deps, WEBHOOK, { accountId }, discord);
  const stored = await webhooks.find({ accountId }, off);
  if (stored !== undefined) {
    const changed = { ...stored, isActive: false, updatedAt: new Date(at.getTime() + 1) };
    await webhooks.replace({ accountId }, changed, stored.updatedAt, UNRECORDED);
  }
  return { failing, off };
}

/** A finding of some checks, in every state, about strings of visitors. */
export async function addFindings(
  { repositories, accountId, clock }: PagesUnderTest,
  { id: websiteId }: Website,
): Promise<readonly string[]> {
  const at = clock.now();
  const state = { since: '2026-11-18', size: 1, status: 'open', openedAt: at, updatedAt: at } as const;
  const found: readonly Omit<Finding, 'id' | 'subject'>[] = [
    { ...state, check: 'page_silent', evidence: { page: HOSTILE[8], days: 3, usual: 25 } },
    { ...state, check: 'unknown_host', evidence: { host: HOSTILE[0], hits: 60, isAlone: true } },
    { ...state, check: 'spam_like', evidence: { country: 'SG', network: null, visits: 180, days: 3, share: 0.4 } },
    { ...state, check: 'new_spammer', evidence: { host: 'spam.example', visits: 72, countries: 12 } },
    { ...state, check: 'query_noise', evidence: { param: 'é<b>', page: HOSTILE[6], pages: 118 } },
    { ...state, check: 'labels_split', evidence: { spellings: [HOSTILE[2], HOSTILE[3]], visits: 12 } },
    {
      ...state,
      status: 'dismissed',
      check: 'secret_in_page',
      evidence: { secret: 'email', param: null, page: HOSTILE[4], pages: 1 },
    },
    { ...state, status: 'fixed', check: 'zone', evidence: { share: 0.5, visits: 400 } },
  ];
  const ids = found.map(() => newId());
  const findings = found.map((each, index) => ({ ...each, id: ids[index] ?? '', subject: String(index) }) as Finding);
  await repositories.findings.record(
    { accountId, websiteId },
    findings.map((finding) => ({ finding, expected: undefined, event: undefined })),
  );
  return ids;
}

/** Coverage by logs: one that was compared, one that failed, and one that is being read. */
export async function addCoverage(
  { repositories, accountId, clock }: PagesUnderTest,
  { id: websiteId }: Website,
): Promise<readonly string[]> {
  const pages = HOSTILE.map((page) => ({ page, log: 1_412, tracked: 12 }));
  const [from, to] = ['2026-11-18', '2026-11-19'];
  const coverage: Coverage = {
    days: [from, to].map((day) => ({ day, log: 1_600, tracked: 1_258 })),
    share: 0.85,
    missing: pages.map((page, index) => ({
      ...page,
      tracked: 0,
      firstSeen: from,
      lastTracked: index % 2 === 0 ? null : '2026-10-01',
    })),
    partly: pages,
    onlyTracked: pages.map(({ page, tracked }) => ({ page, tracked })),
    byBrowser: [HOSTILE[0], null].map((browser) => ({ browser, log: 1_110, tracked: 777, share: 0.7 })),
    ...{ lines: 24_010, judged: 2_400, bots: 1, from, to },
  };
  const problem = { code: 'precondition_failed', detail: HOSTILE[0] } as const;
  const state = { createdAt: clock.now(), coverage: null, problem: null };
  const reports: readonly Omit<CoverageReport, 'id'>[] = [{ ...state, coverage }, { ...state, problem }, state];
  const ids = reports.map(() => newId());
  for (const [index, report] of reports.entries()) {
    await repositories.coverages.insert({ accountId, websiteId }, { ...report, id: ids[index] ?? '' });
  }
  return ids;
}
