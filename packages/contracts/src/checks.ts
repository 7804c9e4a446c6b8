import { addDays, daysOf, timeZone } from '@hitherto/domain/calendar';
import { UNRECORDED } from '@hitherto/domain/changes';
import {
  CHECKS,
  dismissFinding,
  type Finding,
  type FindingEvent,
  fixOfFinding,
  listFindings,
  runChecks,
} from '@hitherto/domain/checks';
import { parseNewCleanup, settleCleanup } from '@hitherto/domain/cleanups';
import type { CountedHit } from '@hitherto/domain/hits';
import { NO_IMPORT_COUNTS } from '@hitherto/domain/imports';
import { type Website, type WebsiteKey, wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { beforeEach, describe, expect, it } from 'vitest';
import { setPageRules } from './statistics/support.ts';
import type { Ports } from './support/alert-checks.ts';
import { DAYS, faultyHistory, historyOfMidnights, LAST, QUIET, visitsOf } from './support/check-histories.ts';
import { addAccount, addWebsites, HOSTILE_STRINGS } from './support/repositories.ts';
import { aWebhook, deliveredEvents } from './support/webhooks.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Shortly after the last day. */
const MIDNIGHT = new Date('2026-11-20T00:10:00.000Z');

/** The behaviour of checks on an adapter, with the numbers of its engine. */
export function checksContract(makeRepositories: () => Promise<Ports>): void {
  let ports: Ports;
  let key: WebsiteKey;
  let website: Website;
  let otherHost: string;
  let now: Date;

  beforeEach(async () => {
    ports = await makeRepositories();
    const accountId = await addAccount(ports);
    const hosts = [newId(), newId()].map((id) => `${id}.example`);
    const [own, other] = await addWebsites(
      ports,
      accountId,
      hosts.map((host) => `https://${host}`),
    );
    if (own === undefined || other === undefined) throw new Error('There is no website.');
    website = own;
    otherHost = new URL(other.url).host;
    key = { accountId, websiteId: own.id };
    now = MIDNIGHT;
  });

  const addHits = (hits: readonly CountedHit[]) => ports.hits.add(hits);
  const run = async () => {
    const opened: FindingEvent[] = [];
    await runChecks({
      ...ports,
      timeZones: ports.outbox.timeZones,
      zone: timeZone('UTC'),
      now: () => now,
      newId,
      onOpened: (event) => opened.push(event),
    });
    return opened.filter(({ websiteId }) => websiteId === key.websiteId);
  };
  const found = async () => (await listFindings(ports, key)).map(({ check, status }) => [check, status]);
  const openFindings = async () => (await listFindings(ports, key)).filter(({ status }) => status === 'open');
  const note = async (
    kind: 'foreign_host' | 'network' | 'repeated',
    value: string,
    days: readonly string[],
    hits: number,
  ) => {
    for (const day of days) ports.notedHits.add({ websiteId: key.websiteId, day, kind, value, hits });
  };
  const untilNoted = (count: number) =>
    expect
      .poll(async () => (await ports.notedHits.list(key.websiteId, DAYS[0] ?? '', LAST)).length, { timeout: 10_000 })
      .toBe(count);
  const plantAll = async () => {
    await addHits(faultyHistory(visitsOf(key.websiteId), otherHost));
    await note('foreign_host', 'shop.example', [LAST], 60);
    await note('network', '3', DAYS.slice(-3), 90);
    await note('network', '4', DAYS.slice(-3), 10);
    await note('repeated', '', [LAST], 300);
    await untilNoted(8);
    const skipped = [{ reason: 'future', rows: 20, example: 'line 1' }] as const;
    const imported = { id: newId(), websiteId: key.websiteId, format: 'access-log', sha256: 'a'.repeat(64) } as const;
    const running = {
      ...imported,
      status: 'running',
      problem: null,
      createdAt: MIDNIGHT,
      ...NO_IMPORT_COUNTS,
    } as const;
    await ports.imports.insert(key, { ...running, skipped }, UNRECORDED);
  };

  it.each(Object.entries(QUIET))('find nothing on a website that %s', async (_, historyOf) => {
    await addHits(historyOf(visitsOf(key.websiteId)));
    await note('foreign_host', 'preview.example', DAYS, 10);
    for (let group = 0; group < 16; group += 1) await note('network', String(group), [LAST], 3);
    await note('repeated', '', [LAST], 1);
    await untilNoted(DAYS.length + 17);

    expect(await run()).toEqual([]);
    expect(await found()).toEqual([]);
  });

  it('find each fault, tell webhooks, and find them once', async () => {
    await ports.webhooks.insert(
      { accountId: key.accountId },
      aWebhook({ id: newId(), events: ['finding.opened'] }),
      UNRECORDED,
    );
    await plantAll();

    const opened = await run();
    expect(await run()).toEqual([]);

    const checks = (await openFindings()).map(({ check }) => check);
    expect(new Set(checks)).toEqual(new Set(CHECKS.filter((check) => check !== 'zone')));
    expect(opened.map(({ data }) => data.finding.check).sort()).toEqual(checks.sort());
    const events = await deliveredEvents(ports.webhookOutbox, key.accountId, now);
    expect(events).toHaveLength(opened.length);
    expect(events[0]).toMatchObject({ type: 'finding.opened', data: { website: { id: key.websiteId } } });
    const spam = (await openFindings()).filter(({ check }) => check === 'spam_like');
    expect(spam.map(({ evidence }) => evidence)).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ country: 'SG', network: null, visits: 180 }),
        expect.objectContaining({ country: null, network: 'hosting', visits: 165 }),
      ]),
    );
    expect(JSON.stringify([opened, await openFindings()])).not.toMatch(/anna|DE89370400/);
  });

  it('find visits like spam that have gone on for a month, since their first day', async () => {
    const { quietDay, visit } = visitsOf(key.websiteId);
    const before = daysOf(addDays(LAST, -41), addDays(LAST, -31));
    const spoilt = daysOf(addDays(LAST, -30), LAST);
    await addHits([
      ...[...before, ...spoilt].flatMap((day) => quietDay(day, 40)),
      ...spoilt.flatMap((day) =>
        Array.from({ length: 60 }, (_, n) => visit(day, 60 + n, ['/'], { country: 'SG' })).flat(),
      ),
    ]);

    await run();

    const [finding] = await openFindings();
    expect(finding).toMatchObject({ check: 'spam_like', since: spoilt[0], evidence: { days: 31, visits: 1_860 } });
  });

  it('find secrets in stored pages, whatever pages are shown', async () => {
    await plantAll();
    await setPageRules(ports, key.websiteId, ['* => /:all']);
    await run();

    expect((await openFindings()).map(({ check }) => check)).toContain('secret_in_page');
  });

  it('find hits without times of day', async () => {
    await addHits(historyOfMidnights(visitsOf(key.websiteId)));

    await run();

    expect(await found()).toEqual([['zone', 'open']]);
  });

  it('find nothing with fewer than 100 visits in 28 days', async () => {
    await addHits(faultyHistory(visitsOf(key.websiteId), otherHost).slice(0, 60));
    await note('foreign_host', 'shop.example', [LAST], 60);

    expect(await run()).toEqual([]);
  });

  it('close what a fix has mended, and open it again when it comes back', async () => {
    const { quietDay, visit } = visitsOf(key.websiteId);
    await plantAll();
    await run();

    const param = (await openFindings()).filter(({ check }) => check === 'query_noise' || check === 'secret_in_page');
    for (const finding of param) await apply(finding);
    for (let day = 0; day < 4; day += 1) {
      const today = new Date(MIDNIGHT.getTime() + day * DAY_MS).toISOString().slice(0, 10);
      await addHits([...quietDay(today, 40), ...visit(today, 10, ['/lost'])]);
    }
    now = new Date(MIDNIGHT.getTime() + 4 * DAY_MS);
    await run();

    const fixed = (await listFindings(ports, key)).filter(({ status }) => status === 'fixed').map(({ check }) => check);
    expect(new Set(fixed)).toEqual(
      new Set(['page_silent', 'unknown_host', 'query_noise', 'counted_twice', 'address_of_proxy', 'secret_in_page']),
    );
    await note('foreign_host', 'shop.example', ['2026-11-24'], 70);
    await expect
      .poll(async () => (await ports.notedHits.list(key.websiteId, '2026-11-24', '2026-11-24')).length, {
        timeout: 5_000,
      })
      .toBe(1);
    await addHits(quietDay('2026-11-24', 40));
    now = new Date(MIDNIGHT.getTime() + 5 * DAY_MS);
    expect((await run()).map(({ data }) => data.finding)).toMatchObject([{ check: 'unknown_host', since: LAST }]);
  });

  it('close what a cleanup hides, and nothing else', async () => {
    await plantAll();
    await run();
    const opened = await openFindings();

    for (const finding of opened) await clean(finding);
    while (await settleCleanup({ ...ports, now: () => now }));
    await addHits(visitsOf(key.websiteId).quietDay('2026-11-20', 40));
    now = new Date(MIDNIGHT.getTime() + DAY_MS);
    await run();

    const fixed = (await listFindings(ports, key)).filter(({ status }) => status === 'fixed');
    const cleaned = opened.filter((finding) => fixOfFinding(finding, website).kind === 'cleanup');
    expect(new Set(cleaned.map(({ check }) => check))).toEqual(new Set(['spam_like', 'new_spammer', 'secret_in_page']));
    expect(fixed.map(({ id }) => id)).toEqual(expect.arrayContaining(cleaned.map(({ id }) => id)));
    expect(await openFindings()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ check: 'labels_split' }),
        expect.objectContaining({ check: 'self_referral' }),
      ]),
    );
  });

  async function clean(finding: Finding): Promise<void> {
    const fix = fixOfFinding(finding, website);
    if (fix.kind !== 'cleanup') return;
    const { name, filters, from } = fix;
    const rule = parseNewCleanup({ name, filters: Object.entries(filters), from, to: null });
    const cleanup = { id: newId(), ...rule, status: 'applying', hidden: null, erasedAt: null } as const;
    await ports.cleanups.insert(key, { ...cleanup, createdAt: now, updatedAt: now }, UNRECORDED);
  }

  it('close by the address of the website what its hosts have in common', async () => {
    const id = newId();
    const [own, other] = await addWebsites(ports, key.accountId, [
      `https://docs.${id}.example`,
      `https://shop.${id}.example`,
    ]);
    if (own === undefined || other === undefined) throw new Error('There is no website.');
    key = { ...key, websiteId: own.id };
    const { quietDay, visit } = visitsOf(own.id);
    const host = new URL(other.url).host;
    const referred = { referrer: host, channel: 'Referral' } as const;
    await addHits([
      ...DAYS.flatMap((day) => quietDay(day, 40)),
      ...DAYS.flatMap((day) =>
        Array.from({ length: 8 }, (_, n) => visit(day, 500 + n, ['/', '/docs'], referred)).flat(),
      ),
    ]);
    await note('foreign_host', `blog.${id}.example`, [LAST], 60);
    await untilNoted(1);
    await run();
    const opened = await openFindings();
    expect(opened.map(({ check }) => check).sort()).toEqual(['self_referral', 'unknown_host']);

    const fixes = opened.map((finding) => fixOfFinding(finding, own));
    expect(fixes).toEqual(opened.map(() => ({ kind: 'url', url: `https://${id}.example` })));
    const changed = { ...own, url: `https://${id}.example`, updatedAt: new Date(own.updatedAt.getTime() + 1) };
    await ports.websites.replace(key.accountId, changed, own.updatedAt, UNRECORDED);
    await addHits(quietDay('2026-11-20', 40));
    now = new Date(MIDNIGHT.getTime() + DAY_MS);
    await run();

    expect(await openFindings()).toEqual([]);
  });

  async function apply(finding: Finding): Promise<void> {
    const known = await ports.websites.find(wholeAccount(key.accountId), key.websiteId);
    const fix = fixOfFinding(finding, known ?? website);
    if (known === undefined || fix.kind !== 'exclude_param') return;
    const updatedAt = new Date(known.updatedAt.getTime() + 1);
    const changed = { ...known, excludedParams: fix.excludedParams, updatedAt };
    await ports.websites.replace(key.accountId, changed, known.updatedAt, UNRECORDED);
  }

  describe('a dismissed finding', () => {
    const noteHost = async (day: string, hits: number) => {
      await note('foreign_host', 'shop.example', [day], hits);
      await expect
        .poll(async () => (await ports.notedHits.list(key.websiteId, day, day)).length, { timeout: 5_000 })
        .toBe(1);
    };
    const next = (days: number) => {
      now = new Date(MIDNIGHT.getTime() + days * DAY_MS);
    };

    it('stays dismissed until it has grown by half', async () => {
      await addHits(DAYS.flatMap((day) => visitsOf(key.websiteId).quietDay(day, 40)));
      await noteHost(LAST, 100);
      await run();
      const [finding] = await openFindings();
      await dismissFinding({ ...ports, now: () => now }, key, finding?.id ?? '');

      await noteHost('2026-11-20', 149);
      next(1);
      expect(await run()).toEqual([]);
      expect(await found()).toEqual([['unknown_host', 'dismissed']]);

      await noteHost('2026-11-21', 150);
      next(2);
      expect(await run()).toHaveLength(1);
      expect(await listFindings(ports, key)).toMatchObject([
        { id: finding?.id, status: 'open', evidence: { host: 'shop.example', hits: 150 } },
      ]);
    });
  });

  describe('findings are stored', () => {
    const aFinding = (overrides: Partial<Finding<'unknown_host'>> = {}): Finding => ({
      id: newId(),
      check: 'unknown_host',
      subject: `é "${'🦊'.repeat(1_000)}"`,
      since: LAST,
      size: 60.5,
      evidence: { host: '<é>.example', hits: 60, isAlone: false },
      status: 'open',
      openedAt: MIDNIGHT,
      updatedAt: MIDNIGHT,
      ...overrides,
    });
    const record = (finding: Finding, expected?: Date) =>
      ports.findings.record(key, [{ finding, expected, event: undefined }]);

    it('as they are, one of a check and subject', async () => {
      const finding = aFinding();

      expect(await record(finding)).toBe(1);
      expect(await record(aFinding())).toBe(0);
      expect(await ports.findings.list(key)).toEqual([finding]);
    });

    it('over the version that was seen alone', async () => {
      const finding = aFinding();
      const updatedAt = new Date(MIDNIGHT.getTime() + 1);
      await record(finding);

      expect(await record({ ...finding, status: 'fixed', updatedAt }, MIDNIGHT)).toBe(1);
      expect(await record({ ...finding, status: 'dismissed', updatedAt }, MIDNIGHT)).toBe(0);
      expect(await ports.findings.list(key)).toMatchObject([{ status: 'fixed' }]);
    });

    it('and counted for many websites, while they are open', async () => {
      const others = await addWebsites(ports, key.accountId, [`https://${newId()}.example`]);
      await record(aFinding());
      await record(aFinding({ subject: 'b' }));
      await record(aFinding({ subject: 'c', status: 'fixed' }));

      const ids = [key.websiteId, ...others.map(({ id }) => id), ...HOSTILE_STRINGS];
      const unknownHost = { host: '<é>.example', hits: 60, isAlone: false };
      expect(await ports.findings.countOpen(ids)).toEqual(new Map([[key.websiteId, { count: 2, unknownHost }]]));
      const larger = { ...unknownHost, host: 'b.example', hits: 412 };
      await record(aFinding({ check: 'unknown_host', subject: 'b.example', size: 412, evidence: larger }));
      await record(aFinding({ subject: 'd', size: 413, status: 'fixed' }));
      expect((await ports.findings.countOpen(ids)).get(key.websiteId)).toEqual({ count: 3, unknownHost: larger });
    });

    it('until they were fixed long ago, or the website is deleted', async () => {
      await record(aFinding({ subject: 'a', status: 'fixed' }));
      await record(aFinding({ subject: 'b' }));
      await ports.findings.deleteFixedBefore(MIDNIGHT);
      expect(await ports.findings.list(key)).toHaveLength(2);
      await ports.findings.deleteFixedBefore(new Date(MIDNIGHT.getTime() + 1));
      expect(await ports.findings.list(key)).toMatchObject([{ subject: 'b' }]);

      await ports.websites.delete(key.accountId, key.websiteId, undefined, UNRECORDED);
      expect(await ports.findings.list(key)).toBeUndefined();
      expect(await ports.findings.countOpen([key.websiteId])).toEqual(new Map());
    });

    it('and absent by other ids', async () => {
      await record(aFinding());
      for (const websiteId of HOSTILE_STRINGS) {
        expect(await ports.findings.list({ ...key, websiteId })).toBeUndefined();
        expect(await ports.findings.list({ ...key, accountId: websiteId })).toBeUndefined();
        expect(
          await ports.findings.record({ ...key, accountId: websiteId }, [
            { finding: aFinding(), expected: undefined, event: undefined },
          ]),
        ).toBe(0);
      }
    });
  });

  it('are claimed once a day, by the zone of the website', async () => {
    const ours = async (zone: string | null, day: string) =>
      (await ports.findings.claim(zone, day, 10_000)).filter(({ websiteId }) => websiteId === key.websiteId);

    expect(await ours('Europe/Berlin', LAST)).toEqual([]);
    expect(await ours(null, LAST)).toEqual([key]);
    expect(await ours(null, LAST)).toEqual([]);
    expect(await ours(null, '2026-11-20')).toEqual([key]);
  });
}
