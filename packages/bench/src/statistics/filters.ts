import { setTimeout as sleep } from 'node:timers/promises';
import { addDays } from '@hitherto/domain/calendar';
import { DIMENSIONS } from '@hitherto/domain/hits';
import { createDatabase, numberIn } from '../database.ts';
import { atMost, type Target } from '../figures.ts';
import { timePath } from '../load/measure.ts';
import { readFrom } from '../load/read.ts';
import type { Run } from '../run.ts';
import { type RunningServer, startHitherto } from '../servers.ts';
import { CLOSED_DAYS, fillClosedDays, fillToday, PERIOD_DAYS } from './closed-days.ts';
import { collectDuring } from './collecting-during.ts';
import type { HitWebsite } from './hits.ts';
import { addToWebsite, addWebsites } from './websites.ts';

const FULL = { large: 10_000_000, small: 1_000_000, open: 300_000, pages: 100, filteredPages: 20, lists: 10 };
const SHORT = { large: 112_000, small: 56_000, open: 20_000, pages: 10, filteredPages: 5, lists: 3 };

const GOALS = [
  { name: 'Signed up', event: 'Signup', sum: 'amount' },
  { name: 'Signed up for pro', event: 'Signup', props: { plan: 'pro' } },
  { name: 'Downloaded', event: 'Download' },
  { name: 'Checked out', page: '/checkout*' },
  { name: 'Paid', page: '/thanks' },
];
const FUNNEL = {
  name: 'Purchase',
  steps: [
    { name: 'Product', page: '/product/*' },
    { name: 'Cart', event: 'Add to cart' },
    { name: 'Paid', page: '/thanks' },
  ],
};

const FILTERS: Readonly<Record<string, string>> = {
  'country=DE': 'country=DE',
  'page.like=/blog/*': 'page.like=/blog/*',
  'browser.not=Chrome': 'browser.not=Chrome',
  'two filters, match=any': 'country=DE&page.like=/blog/*&match=any',
};

interface Asked {
  readonly server: RunningServer;
  readonly website: HitWebsite;
  readonly key: string;
  /** The first and the last of its days. */
  readonly from: string;
  readonly to: string;
}

/** Filters, goals and funnels on a large website, and the cost of a new goal for collecting. */
export async function measureFilters(run: Run, { stored }: { readonly stored?: number }): Promise<void> {
  const amounts = run.isFull ? FULL : SHORT;
  const databaseUrl = await createDatabase(run.database.url, 'bench_filters');
  const today = new Date().toISOString().slice(0, 10);
  const { key, websites } = await addWebsites(databaseUrl, ['large.example', 'small.example', 'other.example']);
  const [large, small, other] = websites;
  await fillClosedDays(run, databaseUrl, large, today, stored ?? amounts.large);
  await fillClosedDays(run, databaseUrl, small, today, amounts.small);
  const size = await numberIn(databaseUrl, `select pg_total_relation_size('book') as value`);
  run.figures.add('book, with indexes', 'MB', [size / 1e6]);
  const server = await run.open(startHitherto({ DATABASE_URL: databaseUrl }));
  const days = { from: addDays(today, -CLOSED_DAYS), to: addDays(today, -1) };
  const asked = { server, website: large, key, ...days };

  for (const goal of GOALS) await addToWebsite(asked, 'goals', goal);
  const funnel = await addToWebsite(asked, 'funnels', FUNNEL);
  await measurePages(run, asked, today, amounts, funnel);
  await measureNewGoals(run, asked, other);
  await measureLists(run, { ...asked, website: small }, 'of the small website', amounts.lists, atMost(400, 150));
  await measureLists(run, asked, 'of the large website', Math.ceil(amounts.lists / 3));
  await fillToday(databaseUrl, large, today, amounts.open);
  await timePages(run, asked, "page with goals and a funnel, with today's hits open", '', amounts.filteredPages);
}

/** Pages of 28 days, and the reads of goals and a funnel alone. */
async function measurePages(
  run: Run,
  asked: Asked,
  today: string,
  { pages, filteredPages }: typeof FULL,
  funnel: string,
): Promise<void> {
  const { server, website } = asked;
  const start = performance.now();
  const html = await readFrom(server, `/statistics/${website.id}?period=28d`);
  run.figures.add('page with goals and a funnel, the first of a process', 'ms', [performance.now() - start]);
  if (!html.includes('Signed up for pro') || !html.includes(FUNNEL.name)) throw new Error('The page lacks its goals.');
  await timePages(run, asked, 'page with goals and a funnel', '', pages, atMost(200, 80));
  for (const [name, filter] of Object.entries(FILTERS)) {
    const target = atMost(2_000, 800);
    await timePages(run, asked, `page with goals and a funnel, ${name}`, `&${filter}`, filteredPages, target);
  }
  const period = `?from=${addDays(today, -PERIOD_DAYS)}&to=${addDays(today, -1)}`;
  const statistics = `/api/v1/websites/${website.id}/statistics`;
  await time(run, asked, 'goals', `${statistics}/goals${period}`, pages);
  await time(run, asked, 'goals, country=DE', `${statistics}/goals${period}&country=DE`, filteredPages);
  await time(run, asked, 'a funnel', `${statistics}/funnels/${funnel}${period}`, pages);
}

function timePages(run: Run, asked: Asked, name: string, filter: string, enough: number, target?: Target) {
  return time(run, asked, name, `/statistics/${asked.website.id}?period=28d${filter}`, enough, target);
}

function time(run: Run, { server, key }: Asked, name: string, path: string, enough: number, target?: Target) {
  return timePath(run, server, name, path, { key, enough, percents: { 50: undefined, 95: target } });
}

const NEW_GOALS = 5;

/** Creates goals while hits are collected, and reads the numbers of all days each time. */
async function measureNewGoals(run: Run, asked: Asked, other: HitWebsite): Promise<void> {
  const { server, website, key, from, to } = asked;
  const times: number[] = [];
  await collectDuring(run, server, other, 'no other work', () => sleep(run.isFull ? 10_000 : 2_000));
  const longest = await collectDuring(run, server, other, `${NEW_GOALS} new goals`, async () => {
    for (let n = 0; n < NEW_GOALS; n += 1) {
      const start = performance.now();
      await addToWebsite(asked, 'goals', { name: `New ${n}`, page: `/articles/${n}*` });
      const path = `/api/v1/websites/${website.id}/statistics/goals?from=${from}&to=${to}`;
      const { data }: { data: { visits: number }[] } = JSON.parse(await readFrom(server, path, { key }));
      times.push(performance.now() - start);
      if (!data.at(-1)?.visits) throw new Error('The new goal has no visits.');
      await sleep(1_000);
    }
  });
  run.figures.add('a new goal: first full answer', 'ms', [Math.max(...times)], atMost(10_000, 3_000));
  run.figures.add('a new goal: longest pause of collecting', 'ms', [longest], atMost(1_000, 300));
}

/** The full list of each dimension, with a filter, of all days. */
async function measureLists(run: Run, asked: Asked, name: string, enough: number, target?: Target): Promise<void> {
  const { website, from, to } = asked;
  for (const dimension of DIMENSIONS) {
    const query = `from=${from}&to=${to}&browser=Chrome`;
    const path = `/api/v1/websites/${website.id}/statistics/by/${dimension}?${query}`;
    await time(run, asked, `list by ${dimension} ${name}, browser=Chrome`, path, enough, target);
  }
}
