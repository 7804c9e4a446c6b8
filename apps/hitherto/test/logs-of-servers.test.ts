import { UNRECORDED } from '@hitherto/domain/changes';
import { newId } from '@hitherto/outside/system';
import { anAccount, aWebsite } from '@hitherto/testing/fixtures';
import { expect, test } from 'vitest';
import { GPTBOT, ID, line, useLogs } from './support/logs.ts';

// imports.md, "Access logs": logs as servers, proxies and collectors write them.

const { file, run, numbersOf, withDatabase } = useLogs();

const read = (path: string, ...args: readonly string[]) => run(['logs', 'import', path, ...args]);
const VISITORS = ['198.51.100.7', '198.51.100.8', '198.51.100.9'];

test('one odd line makes no crawler a visitor', async () => {
  const odd = line().replace(/ "-" .*/, '');
  const path = file('access.log', odd + VISITORS.map((ip) => line({ ip, agent: GPTBOT })).join(''));

  await read(path, '--website', ID);

  expect(await numbersOf()).toMatchObject({ pageviews: 1, crawlers: [{ value: 'OpenAI', hits: 3 }] });
});

test.each([
  ['a virtual host without a port', 'example.com '],
  ['a virtual host with one', 'example.com:443 '],
  ['syslog', 'Nov 20 10:00:00 web01 nginx: '],
  ['Docker Compose', 'web-1  | '],
])('%s in front makes no visitors one', async (_, prefix) => {
  const path = file('access.log', VISITORS.map((ip) => prefix + line({ ip })).join(''));

  const { code } = await read(path, '--website', ID);

  expect([code, (await numbersOf()).visitors]).toEqual([0, 3]);
});

test('excluded addresses behind a virtual host are excluded, and its website is that of the lines', async () => {
  const website = aWebsite({ id: newId(), url: 'https://excluding.example', excludedIps: ['198.51.100.0/24'] });
  await withDatabase(({ websites }) => websites.insert(anAccount().id, website, UNRECORDED));
  const path = file('access.log', VISITORS.map((ip) => `excluding.example ${line({ ip })}`).join(''));

  const { stdout } = await read(path, '--json');

  expect(JSON.parse(stdout)).toMatchObject({ hits: 0, skipped: [{ reason: 'excluded_ip', lines: 3 }] });
});

test('a log without hosts needs a website', async () => {
  const path = file('access.log', line());

  for (const command of ['import', 'follow']) {
    const { code, stderr } = await run(['logs', command, path]);

    expect([code, stderr]).toEqual([1, expect.stringMatching(/access\.log name no host.*--website/)]);
  }
});

test('the summary says that all pageviews have the address of a proxy', async () => {
  const path = file('access.log', line({ ip: '172.18.0.7' }) + line({ ip: '172.18.0.7', path: '/b' }));

  const { stderr } = await read(path, '--website', ID);

  expect(stderr).toContain('All pageviews have the address 172.18.0.7, probably that of a proxy');
  expect(stderr).toContain('"%{X-Forwarded-For}i"');
});

test('the summary names a file whose last line has no end', async () => {
  const path = file('access.log', line().trimEnd());

  const { code, stdout } = await read(path, '--website', ID, '--json');

  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    expect.objectContaining({
      lines: 0,
      notes: [`The last line of ${path} has no end yet. It counts once it has one.`],
    }),
  ]);
});

test('lines may end with carriage returns, behind a byte order mark and NULs', async () => {
  const lines = VISITORS.map((ip) => line({ ip })).join('');
  await read(file('mac.log', lines.replaceAll('\n', '\r')), '--website', ID);
  await read(file('mark.log', `\u{feff}${lines.replaceAll('/a', '/b')}`), '--website', ID);
  await read(file('truncated.log', `${'\0'.repeat(5_000)}${lines.replaceAll('/a', '/c')}`), '--website', ID);

  expect(await numbersOf()).toMatchObject({ pageviews: 9, visitors: 3 });
});
