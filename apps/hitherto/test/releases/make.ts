// Keeps what this version writes, for tests of later ones: `npm run freeze`, once for each release. It fills a small
// installation by the API, and writes a backup of it, its responses, its schema and its OpenAPI document.
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { migrations } from '@hitherto/postgres/migrations';
import { root, version } from '@hitherto/testing/machine';
import { plausibleExport } from '@hitherto/testing/plausible-export';
import { startProgram } from '@hitherto/testing/program';
import { OWNER, RELEASES_FOLDER, SETTINGS, statementsOf } from '../support/releases.ts';

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
const SETUP_TOKEN = 'a-link-of-a-release-for-tests-32';
/** What browsers send; trackers of this release are cached, and in bundles of websites, for a long time. */
const HITS = [
  { url: 'https://shop.example/blog/first?utm_source=nl&utm_campaign=é', referrer: 'https://search.example/a' },
  { url: 'https://shop.example/blog/second', referrer: 'https://shop.example/blog/first', same_document: true },
  {
    url: 'https://shop.example/prices',
    referrer: '',
    name: 'Signup',
    props: { plan: 'pro', amount: 12.5, is_new: true },
  },
  { url: 'https://shop.example/automated', referrer: '', automated: true },
];
const YESTERDAY = new Date(Date.now() - 23 * 3_600_000).toISOString();
/** Hits of earlier days, as `statistics export` writes them; the last day has enough to be stored by columns. */
const EXPORTED = [
  ...Array.from({ length: 3 }, (_, number) => anExportedHit('2026-10-05T08:00', number, 1)),
  ...Array.from({ length: 3 }, (_, number) => anExportedHit('2026-11-02T23:30', number, 1)),
  ...Array.from({ length: 1_000 }, (_, number) => anExportedHit('2026-11-09T12:00', number, 200)),
];
/** A little more than the time after which the visits of days that are over are stored by columns. */
const COLUMNS_MS = 45_000;
const LOG = `203.0.113.9 - - [01/Sep/2026:10:00:00 +0000] "GET /from-a-log HTTP/1.1" 200 12345 "-" "${AGENT}"\n`;

await requireUnreleased();
const program = await startProgram({ ...SETTINGS, SETUP_TOKEN });
const folder = join(RELEASES_FOLDER, version);
try {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await write('schema.sql', await statementsOf(Object.keys(migrations)));
  await write('openapi.json.gz', gzipSync(await (await fetch(`${program.baseUrl}/openapi.json`)).text(), { level: 9 }));
  await write('hits.json', JSON.stringify(HITS));
  const paths = await fill();
  const responses: Record<string, unknown> = {};
  for (const path of paths) responses[path] = (await call('GET', path)).data;
  await write('responses.json', JSON.stringify(responses));
  await promisify(execFile)(join(root, 'node_modules/.bin/biome'), ['format', '--write', folder], { cwd: root });
  await hitherto('backup', join(folder, 'hitherto.backup'));
  console.log(folder);
} finally {
  await program.stop();
}

/** One of a few visitors, in the minute. */
function anExportedHit(minute: string, number: number, visitors: number) {
  return {
    time: `${minute}:${String(number % 60).padStart(2, '0')}.000Z`,
    visitor: String(1 + (number % visitors)),
    host: 'shop.example',
    page: ['/', '/blog/first', '/prices'][number % 3],
    channel: 'Direct',
    device: 'desktop',
    country: number % 2 === 0 ? 'DE' : 'FR',
    browser: 'Firefox',
  };
}

/** A released version stays as it is. */
async function requireUnreleased(): Promise<void> {
  const { stdout } = await promisify(execFile)('git', ['tag', '--list', `v${version}`], { cwd: root });
  if (stdout !== '') throw new Error(`${version} is released: there is a tag v${version}.`);
}

/** Runs a command next to the service. */
async function hitherto(...args: readonly string[]): Promise<void> {
  const env = { PATH: process.env.PATH ?? '', DATA_DIR: program.dataDir, ...SETTINGS };
  await promisify(execFile)(process.execPath, [join(root, 'apps/hitherto/dist/main.js'), ...args], { env });
}

function write(name: string, content: string | Buffer): Promise<void> {
  return writeFile(join(folder, name), content);
}

/** Adds one of everything, and returns the paths that show it. */
async function fill(): Promise<string[]> {
  const setUp = await fetch(`${program.baseUrl}/setup/${SETUP_TOKEN}`, {
    method: 'POST',
    headers: { origin: program.baseUrl },
    body: new URLSearchParams(OWNER),
    redirect: 'manual',
  });
  if (setUp.status !== 303) throw new Error(`The owner was not set up: ${await setUp.text()}`);
  const { id } = await create('/api/v1/websites', {
    url: 'https://shop.example/blog',
    privacy: 2,
    password: 'sesame',
    email: 1,
    exclude_bots: 0,
    exclude_params: 'session',
    exclude_ips: '198.51.100.0/24',
    time_zone: 'Europe/Berlin',
    aliases: 'shop',
    embed_origins: 'https://board.example',
  });
  const repeatable = { 'idempotency-key': 'a-create-of-a-release' };
  const { id: old } = await create('/api/v1/websites', { url: 'https://old.example', privacy: 0 }, repeatable);
  await hitherto('people', 'create', '--email', 'invited@example.com');
  const website = `/api/v1/websites/${id}`;
  await create(`${website}/segments`, { name: 'From Germany', filters: { country: ['DE'], 'page.like': ['/blog/*'] } });
  const goal = await create(`${website}/goals`, {
    name: 'Signup',
    event: 'Signup',
    props: { plan: 'pro' },
    sum: 'amount',
  });
  const funnel = await create(`${website}/funnels`, {
    name: 'Reading',
    steps: [
      { name: 'Article', page: '/blog/*' },
      { name: 'Signup', event: 'Signup' },
    ],
  });
  await create(`${website}/links`, { name: 'For the board', password: 'of the link' });
  await create(`${website}/annotations`, { day: '2026-10-05', text: 'Relaunch 🦊' });
  await create(`${website}/alerts`, { rule: 'goal', goal_id: goal.id, threshold: 5 });
  const hook = { url: 'https://example.com/hook?token=sealed', events: ['website.updated'], is_active: false };
  await create('/api/v1/webhooks', hook);
  await call('PATCH', website, { email: 0 });

  const batch = HITS.map((hit) => ({ ...hit, website: id, ip: '203.0.113.7', user_agent: AGENT, time: YESTERDAY }));
  await call('POST', '/api/v1/hits', { hits: batch }, { 'idempotency-key': 'a-batch-of-a-release' });
  await importFile(website, Buffer.from(EXPORTED.map((hit) => `${JSON.stringify(hit)}\n`).join('')));
  await importFile(website, Buffer.from(LOG));
  await importFile(`/api/v1/websites/${old}`, Uint8Array.from(plausibleExport()));

  // One that is dropped, which is written within a second, and the stored forms of days that are over.
  const dropped = JSON.stringify({ website: old, url: 'https://old.example/' });
  await fetch(`${program.baseUrl}/hits`, { method: 'POST', headers: { 'user-agent': 'Googlebot/2.1' }, body: dropped });
  await setTimeout(COLUMNS_MS);

  const period = `from=2026-09-01&to=${YESTERDAY.slice(0, 10)}`;
  const dimensions = ['page', 'source', 'country', 'browser', 'event', 'utm_campaign'];
  return [
    ...['segments', 'goals', 'funnels', 'links', 'annotations', 'alerts'].map((kind) => `${website}/${kind}`),
    ...['/api/v1/websites', '/api/v1/webhooks', `/api/v1/audit?website=${id}&per_page=100`, `${website}/imports`],
    `${website}/statistics?${period}`,
    `${website}/statistics?${period}&country=DE`,
    `${website}/statistics/series?${period}&interval=month`,
    ...dimensions.map((dimension) => `${website}/statistics/by/${dimension}?${period}`),
    `${website}/statistics/goals?${period}`,
    `${website}/statistics/funnels/${funnel.id}?${period}`,
    `/api/v1/websites/${old}/statistics?from=2023-01-02&to=2023-01-03`,
    `/api/v1/websites/${old}/statistics/by/browser?from=2023-01-02&to=2023-01-03`,
  ];
}

interface Resource {
  readonly id: string;
}

async function create(path: string, fields: object, headers = {}): Promise<Resource> {
  return (await call('POST', path, fields, headers)).data as Resource;
}

async function call(method: string, path: string, fields?: object, headers = {}): Promise<{ readonly data: unknown }> {
  return send(method, path, fields && JSON.stringify(fields), { 'content-type': 'application/json', ...headers });
}

async function send(method: string, path: string, body: BodyInit | undefined, headers: Record<string, string>) {
  const response = await fetch(program.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${program.key}`, ...(body === undefined ? {} : headers) },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
  return JSON.parse(text);
}

/** Imports a file, and waits until it counts. */
async function importFile(website: string, file: Uint8Array<ArrayBuffer>): Promise<void> {
  const type = { 'content-type': 'application/octet-stream' };
  let { data } = await send('POST', `${website}/imports`, file, type);
  while (data.status !== 'done') {
    if (data.status === 'failed') throw new Error(`An import failed: ${JSON.stringify(data)}`);
    await setTimeout(100);
    ({ data } = await send('GET', `${website}/imports/${data.id}`, undefined, {}));
  }
}
