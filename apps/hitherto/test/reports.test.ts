import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { addDays } from '@hitherto/domain/calendar';
import { UNRECORDED } from '@hitherto/domain/changes';
import { reportPeriodOf } from '@hitherto/domain/reports';
import { newId } from '@hitherto/outside/system';
import { aCountedHit, anAccount, aReportPeriod, aWebsite } from '@hitherto/testing/fixtures';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { expect, onTestFinished, test } from 'vitest';
import { loadSettings } from '../src/installation/settings.ts';
import { createTestDatabase, openDatabase, runCommand } from './support/commands.ts';
import { call, emptyFolder, runProgram, startService } from './support/program.ts';

const PASSWORD = 's3cret-of-smtp';
const DAY_MS = 24 * 60 * 60 * 1000;

/** A mail server that accepts what its user sends after it has refused this many recipients. */
async function startMailServer(refusals = 0) {
  const mails: ParsedMail[] = [];
  let left = refusals;
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ password }, _session, done) =>
      password === PASSWORD ? done(null, { user: 'é' }) : done(new Error('no')),
    onRcptTo: ({ address }, _session, done) => {
      left -= 1;
      done(left >= 0 ? Object.assign(new Error(`${address} is busy`), { responseCode: 451 }) : undefined);
    },
    onData: (stream, _session, done) => {
      simpleParser(stream).then((mail) => {
        mails.push(mail);
        done();
      }, done);
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return { mails, url: `smtp://user:${PASSWORD}@127.0.0.1:${port}` };
}

/** A Monday some weeks ago, this many minutes after 09:00 UTC. */
function aMonday(minutes = 0): Date {
  const today = Math.floor(Date.now() / DAY_MS);
  const monday = today - 28 - ((today + 3) % 7);
  return new Date(monday * DAY_MS + (9 * 60 + minutes) * 60_000);
}

/** A website with a visit in the week before that Monday, and with reports since earlier; its account has an address. */
async function withReports(settings: Record<string, string>) {
  const env = { ...(await createTestDatabase()), ...settings };
  const [since, visit] = [new Date(aMonday().getTime() - 60 * DAY_MS), new Date(aMonday().getTime() - 4 * DAY_MS)];
  const database = await openDatabase(loadSettings(env), { use: 'command', log: () => {}, onProgress: () => {} });
  const accountId = newId();
  const email = { address: 'owner@example.com', since };
  await database.access.insertAccount(anAccount({ id: accountId, name: 'agency', email }), UNRECORDED);
  const url = 'https://xn--bcher-kva.example';
  const website = aWebsite({ id: newId(), url, emailReports: true, createdAt: since, updatedAt: since });
  await database.websites.insert(accountId, website, UNRECORDED);
  await database.hits.add([aCountedHit({ websiteId: website.id, time: visit })]);
  await database.close();
  return { env, id: website.id };
}

test('a report is sent once by several processes, retried after a failure, and turned off by its link', async () => {
  const { mails, url } = await startMailServer(1);
  const settings = { SMTP_URL: url, MAIL_FROM: 'Ægir <stats@example.com>', PUBLIC_URL: 'http://stats.example' };
  const { env, id } = await withReports(settings);
  const at = (minutes: number) => ['reports', 'run', '--at', aMonday(minutes).toISOString()];

  const early = await runCommand(at(-1), env);
  const refused = await runCommand(at(0), env);
  const both = await Promise.all([runProgram(at(1), env), runProgram(at(1), env)]);
  const again = await runCommand(at(600), env);
  const service = await startService(env);
  const key = (await runCommand(['keys', 'create', '--account', 'agency'], env)).stdout.trim();
  const [, link = ''] = /^http:\/\/stats\.example(\/reports\/unsubscribe\?\S+)$/m.exec(mails[0]?.text ?? '') ?? [];
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
  const clicked = await fetch(service.url + link, { method: 'POST', body });
  const forged = await fetch(service.url + link.slice(0, -1), { method: 'POST', body });
  const website = await call(service, key, `/api/v1/websites/${id}`);

  expect([early.stdout, early.stderr]).toEqual(['', 'Reports: 0 sent, 0 skipped, 0 retried, 0 failed.\n']);
  expect(refused.stdout).toMatch(
    new RegExp(`^retried  ${id}  \\d{4}-W\\d\\d  again at .*T09:01:00.000Z  .*451 … is busy\n$`),
  );
  expect(both.map(({ stdout }) => stdout).toSorted()).toEqual([
    '',
    expect.stringMatching(new RegExp(`^sent  ${id}  `)),
  ]);
  expect(again.stdout).toBe('');
  expect(mails).toHaveLength(1);
  expect(mails[0]).toMatchObject({
    from: { value: [{ name: 'Ægir', address: 'stats@example.com' }] },
    to: { value: [{ address: 'owner@example.com' }] },
    subject: expect.stringContaining('bücher.example: 1 visitor'),
    messageId: expect.stringMatching(new RegExp(`^<report\\.\\d{4}-W\\d\\d\\.${id}@stats\\.example>$`)),
  });
  expect(mails[0]?.text).toContain(`http://stats.example/statistics/${id}?from=`);
  expect(link).toContain(`?website=${id}&token=`);
  expect([clicked.status, forged.status]).toEqual([200, 404]);
  expect(await website.json()).toMatchObject({ data: { email: 0 } });
  const { stdout, stderr } = await service.stop();
  expect(stdout).toContain('PUBLIC_URL is not an https URL');
  expect(stdout).not.toContain('no reports are sent');
  for (const text of [stdout, stderr, refused.stdout, refused.stderr]) expect(text).not.toContain(PASSWORD);
  expect(stdout).not.toContain(link.slice(-43));
});

test('a test is sent at once, as often as wanted, and does not stand for the weekly report', async () => {
  const { mails, url } = await startMailServer();
  const settings = { SMTP_URL: url, MAIL_FROM: 'stats@example.com', PUBLIC_URL: 'https://stats.example' };
  const { env, id } = await withReports(settings);
  const onMonday = { now: () => aMonday() };
  const send = () => runCommand(['reports', 'test', id], env, onMonday);

  const sent = [await send(), await send()];
  const weekly = await runCommand(['reports', 'run'], env, onMonday);
  await runCommand(['accounts', 'set-email', 'agency', '--none'], env);
  const nowhere = await send();
  const unset = await runCommand(['reports', 'test', id], { ...env, SMTP_URL: '', MAIL_FROM: '' });

  for (const { code, stderr } of sent)
    expect([code, stderr]).toEqual([0, 'The report was sent to owner@example.com.\n']);
  expect(weekly.stdout).toMatch(/^sent /);
  expect(mails.map(({ to }) => to)).toHaveLength(3);
  expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(3);
  expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('accounts set-email')]);
  expect([unset.code, unset.stderr]).toEqual([1, expect.stringContaining('SMTP_URL and MAIL_FROM are not set')]);
});

test('the button of the settings page mails the report, or says why the mail server did not accept it', async () => {
  const { mails, url } = await startMailServer(1);
  const settings = { SMTP_URL: url, MAIL_FROM: 'stats@example.com', PUBLIC_URL: 'http://localhost' };
  const { env, id } = await withReports(settings);
  const service = await startService(env);
  const key = (await runCommand(['keys', 'create', '--account', 'agency'], env)).stdout.trim();
  const post = (path: string, fields: Record<string, string>, cookie = '') =>
    fetch(service.url + path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { cookie, origin: settings.PUBLIC_URL },
      redirect: 'manual',
    });
  const [cookie] = (await post('/sign-in', { key })).headers.getSetCookie()[0]?.split(';') ?? [];

  const refused = await post(`/websites/${id}/report-test`, {}, cookie);
  const sent = await post(`/websites/${id}/report-test`, {}, cookie);
  const page = await fetch(`${service.url}/websites/${id}?tested`, { headers: { cookie: cookie ?? '' } });

  expect([refused.status, sent.status]).toEqual([409, 303]);
  expect(await refused.text()).toMatch(/The test report could not be sent: [^<]*451 owner@example\.com is busy/);
  expect(await page.text()).toContain('was sent to owner@example.com.');
  expect(mails).toMatchObject([
    {
      to: { value: [{ address: 'owner@example.com' }] },
      messageId: expect.stringMatching(/^<report\.test\..*@localhost>$/),
    },
  ]);
  expect((await service.stop()).stdout).not.toContain('owner@example.com');
});

test('a time in the future is refused, and spends no report', async () => {
  const { mails, url } = await startMailServer();
  const settings = { SMTP_URL: url, MAIL_FROM: 'stats@example.com', PUBLIC_URL: 'https://stats.example' };
  const { env } = await withReports(settings);
  const before = { now: () => aMonday(-1) };

  const refused = await runCommand(['reports', 'run', '--at', aMonday().toISOString()], env, before);
  const mailsBefore = mails.length;
  const weekly = await runCommand(['reports', 'run'], env, { now: () => aMonday() });

  expect([refused.code, refused.stdout, mailsBefore]).toEqual([1, '', 0]);
  expect(refused.stderr).toMatch(/--at is in the future.*"reports test".*"reports preview"/);
  expect(weekly.stdout).toMatch(/^sent /);
});

test('a preview of the running week compares it with the week before until the same time', async () => {
  // The visit was on Thursday at 09:00.
  const { env, id } = await withReports({});
  const thursday = aMonday(3 * 24 * 60);
  const week = reportPeriodOf('weekly', thursday.toISOString().slice(0, 10)).name;
  const previewAt = async (minutes: number) => {
    const now = () => new Date(thursday.getTime() + minutes * 60_000);
    const { stdout } = await runCommand(['reports', 'preview', id, '--week', week, '--out', '-'], env, { now });
    const { subject = '', text = '' } = await simpleParser(stdout);
    return [/100 % .*/.exec(subject)?.[0], /not over yet\..*/.exec(text.replaceAll(/\s+/g, ' '))?.[0].slice(0, 80)];
  };

  const [earlier, later] = [await previewAt(-30), await previewAt(30)];

  expect(earlier).toEqual([undefined, expect.stringMatching(/^not over yet\. Visitors 0 /)]);
  expect(later).toEqual([
    '100 % less than before',
    expect.stringMatching(/^not over yet\. Compared with \d+ \w+ to \d+ \w+(?: \d+)? at 09:30\. /),
  ]);
});

test('a preview needs no mail server, and never overwrites a file', async () => {
  const { env, id } = await withReports({});
  const folder = await emptyFolder();
  const [file, unfinished] = [join(folder, 'report.eml'), join(folder, 'unfinished.eml')];
  await writeFile(join(folder, 'taken.eml'), 'mine');
  const preview = (...args: string[]) => runCommand(['reports', 'preview', ...args], env);
  const week = /^report\.(\d{4}-W\d\d)\./;

  const written = await preview(id.toUpperCase(), '--out', file);
  const refused = await preview(id, '--out', join(folder, 'taken.eml'));
  const unknown = await preview('01997c3e-0000-7000-8000-000000000001', '--out', join(folder, 'none.eml'));
  const [, current = ''] = week.exec((await simpleParser(await readFile(file))).messageId?.slice(1) ?? '') ?? [];
  const next = reportPeriodOf('weekly', addDays(aReportPeriod(current).to, 1)).name;
  const marked = await preview(id, '--week', next, '--out', unfinished);
  const piped = await preview(id, '--week', next, '--out', '-');
  const run = await runCommand(['reports', 'run'], env);
  const reachable = await runCommand(['reports', 'run'], { ...env, PUBLIC_URL: 'https://stats.example' });

  expect((await simpleParser(piped.stdout)).subject).toBe((await simpleParser(await readFile(unfinished))).subject);
  expect([written.code, marked.code]).toEqual([0, 0]);
  const mail = await simpleParser(await readFile(unfinished));
  expect(mail.to).toMatchObject({ value: [{ address: 'owner@example.com' }] });
  expect(mail.html).toContain('This week is not over');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('already exists')]);
  expect(await readFile(join(folder, 'taken.eml'), 'utf8')).toBe('mine');
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no website with this id')]);
  expect([run.code, run.stderr]).toEqual([
    1,
    expect.stringContaining('SMTP_URL, MAIL_FROM and PUBLIC_URL are not set'),
  ]);
  expect(reachable.stderr).toContain('Nothing can be sent: SMTP_URL and MAIL_FROM are not set.');
  const service = await startService(env);
  expect((await service.stop()).stdout).toContain('no reports are sent by e-mail');
});
