import type { CountedHit } from '@hitherto/domain/hits';
import { aCountedHit } from '@hitherto/testing/fixtures';
import { expect, test } from 'vitest';
import { FIREFOX, GPTBOT, ID, useLogs } from './support/logs.ts';

// imports.md, "Coverage": `logs coverage`.

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const DAYS = ['2026-11-17', '2026-11-18', '2026-11-19'];
const PAGES = Array.from({ length: 40 }, (_, index) => `/page-${index}`);
/** Without the snippet. */
const BARE = ['/page-7', '/page-21', '/page-33'];
/** On each day; half are of Firefox, 30 % of which block the tracker. */
const VIEWS = 20;

const { withDatabase, file, run } = useLogs();

function lineOf(day: string, minute: number, path: string, ip: string, agent: string): string {
  const [year, , date] = day.split('-');
  const time = new Date(minute * 60_000).toISOString().slice(11, 19);
  return `${ip} - - [${date}/Nov/${year}:${time} +0000] "GET ${path} HTTP/1.1" 200 1 "-" "${agent}"\n`;
}

/** A site's log, and the hits that its tracker has sent. */
function generate() {
  const hits: CountedHit[] = [];
  const lines = DAYS.flatMap((day) =>
    Array.from({ length: VIEWS }, (_, view) =>
      PAGES.map((page, index) => {
        const agent = view % 2 === 0 ? FIREFOX : CHROME;
        const isBlocked = agent === FIREFOX && (view / 2) % 10 < 3;
        const minute = view * 75 + index * 0.25;
        if (!isBlocked && !BARE.includes(page)) {
          const browser = agent === FIREFOX ? 'Firefox' : 'Chrome';
          const time = new Date(Date.parse(`${day}T00:00:00Z`) + minute * 60_000);
          const visitor = BigInt(view * 100 + index);
          hits.push(aCountedHit({ websiteId: ID, host: 'example.com', page, browser, time, day, visitor }));
        }
        return lineOf(day, minute, page, `198.51.${index}.${view}`, agent);
      }).join(''),
    ),
  );
  return { hits, log: [...lines, lineOf(DAYS[2] ?? '', 1_439, '/page-1', '198.51.100.1', GPTBOT)].join('') };
}

test('logs coverage names exactly the pages without the snippet, and what blockers hide, again and again', async () => {
  const { hits, log } = generate();
  await withDatabase((database) => database.hits.add(hits));
  const path = file('access.log', log);

  const runs = [1, 2].map(() => run(['logs', 'coverage', path, '--website', ID, '--json']));
  const [first, second] = await Promise.all(runs);

  expect(first?.stderr).toBe('');
  expect(second?.stdout).toBe(first?.stdout);
  const { data, meta } = JSON.parse(first?.stdout ?? '');
  expect(data.missing).toEqual(
    [...BARE].sort().map((page) => ({ page, log: 60, tracked: 0, first_seen: DAYS[0], last_tracked: null })),
  );
  expect(data.share).toBeCloseTo(0.85, 2);
  expect(data.by_browser).toEqual([
    { browser: 'Chrome', log: 1_110, tracked: 1_110, share: 1 },
    { browser: 'Firefox', log: 1_110, tracked: 777, share: 0.7 },
  ]);
  expect(data.days).toEqual(DAYS.map((day) => ({ day, log_pages: 800, tracked_pages: 629 })));
  expect([data.partly, data.only_tracked]).toEqual([[], []]);
  expect(meta).toEqual({ lines: 2_401, judged: 2_400, bots: 1, from: DAYS[0], to: DAYS[2] });
});

test('logs coverage prints sentences, and looks at the last days only', async () => {
  const { hits, log } = generate();
  await withDatabase((database) => database.hits.add(hits.filter(({ page }) => page !== '/page-1')));
  const moved = aCountedHit({ websiteId: ID, page: '/page-1', time: new Date('2026-10-01T12:00:00Z') });
  await withDatabase((database) => database.hits.add([moved]));

  const { code, stdout } = await run(['logs', 'coverage', file('a.log', log), '--website', ID, '--days', '2']);

  expect(code).toBe(0);
  expect(stdout).toContain('2026-11-18 to 2026-11-19: 1600 pageviews in the log,');
  expect(stdout).toContain('  /page-1  40 in the log, 0 tracked, last 2026-10-01\n');
  expect(stdout).toContain('  Firefox  720 in the log, 504 tracked, 70 %\n');
});

test('logs coverage rejects days with hits of logs', async () => {
  const path = file('access.log', generate().log);
  await run(['logs', 'import', path, '--website', ID]);

  const { code, stderr } = await run(['logs', 'coverage', path, '--website', ID]);

  expect(code).not.toBe(0);
  expect(stderr).toContain('2026-11-17 has imported hits');
});
