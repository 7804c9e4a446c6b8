import { wholeAccount } from '@hitherto/domain/websites';
import { beforeEach, describe, expect, test } from 'vitest';
import { encodeCursor } from '../src/shared/cursor.ts';
import { definer } from './support/definitions.ts';
import { postForm, signIn } from './support/owner.ts';
import { type PagesUnderTest, startPagesForTest } from './support/pages.ts';

let pages: PagesUnderTest;
let cookies: Readonly<Record<string, string>>;

beforeEach(async () => {
  pages = await startPagesForTest();
  ({ cookies } = await signIn(pages));
});

const trail = async (websiteId: string) =>
  (await pages.repositories.audit.list(wholeAccount(pages.accountId), { websiteId }, 100)).entries;
const stored = (id: string) => pages.repositories.websites.find(wholeAccount(pages.accountId), id);

describe('the changes of a website', () => {
  test('are recorded with the session, and shown', async () => {
    const website = await pages.addWebsite({ excludedIps: ['192.0.2.1'], privacy: 'private' });
    const path = `/websites/${website.id}`;

    await postForm(pages, path, { privacy: '0', exclude_ips: '192.0.2.7' }, { cookies, remoteAddress: '198.51.100.9' });

    const { text } = await pages.send('GET', `${path}/changes`, { cookies });
    expect(await trail(website.id)).toMatchObject([
      {
        action: 'website.updated',
        actor: { type: 'session', id: expect.any(String), label: null },
        network: '198.51.100.0/24',
        requestId: expect.any(String),
        changes: [
          { field: 'privacy', before: 'private', after: 'public' },
          { field: 'excludedIps', added: ['192.0.2.7'], removed: ['192.0.2.1'] },
        ],
      },
    ]);
    expect(text).toContain('<del>private</del> <ins>public</ins>');
    expect(text).toContain('<ins>192.0.2.7</ins>');
    expect(text).toContain('198.51.100.0/24');
    expect(text).toContain('20 Nov 2026, 12:00');
  });

  test('are put back field by field, each with an entry of its own, and later changes of other lines stay', async () => {
    const website = await pages.addWebsite({ excludedIps: ['192.0.2.1'], privacy: 'private', timeZone: null });
    const path = `/websites/${website.id}`;
    await postForm(pages, path, { privacy: '0', exclude_ips: '192.0.2.7', time_zone: 'UTC' }, { cookies });
    const [entry] = await trail(website.id);
    await postForm(pages, path, { exclude_ips: '192.0.2.7\n192.0.2.8' }, { cookies });

    for (const field of ['excludedIps', 'privacy', 'timeZone']) {
      const { status, headers } = await postForm(
        pages,
        `${path}/changes`,
        { change: entry?.id ?? '', field },
        { cookies },
      );
      expect([status, headers.location]).toEqual([303, `${path}/changes`]);
    }

    expect(await stored(website.id)).toMatchObject({
      excludedIps: ['192.0.2.8', '192.0.2.1'],
      privacy: 'private',
      timeZone: null,
    });
    expect(await trail(website.id)).toHaveLength(5);
  });

  test('name every field as forms do, and have no values before what is new', async () => {
    const website = await pages.addWebsite();
    const path = `/websites/${website.id}`;
    const forms = {
      alerts: { rule: 'silence', hours: '5', email: '1', webhooks: '1' },
      links: { name: 'For the board', password: 'x', last_day: '2026-12-31' },
      annotations: { day: '2026-11-20', text: 'é', is_public: '1' },
    };
    for (const [page, form] of Object.entries(forms)) await postForm(pages, `${path}/${page}`, form, { cookies });

    const { text } = await pages.send('GET', `${path}/changes`, { cookies });

    const named = [...text.matchAll(/<dt>(.*?)<\/dt>/g)].map(([, label]) => label);
    expect(named).toEqual(expect.arrayContaining(['Rule', 'Hours', 'By mail', 'By webhooks', 'Password', 'Expires']));
    for (const label of named) expect(label).toMatch(/^[A-Z]/);
    expect(text).not.toContain('<del>');
  });

  test('are said in words, and not as they are stored', async () => {
    const website = await pages.addWebsite();
    const define = definer(pages, website);
    const goal = await define.addGoal({ name: 'Signup', event: 'Signup', props: { plan: 'pro' } });
    await define.addFunnel({
      name: 'Way',
      steps: [
        { name: 'Guide', page: '/guides/*' },
        { name: 'Sign', event: 'Signup', props: { plan: 'pro' } },
      ],
    });
    const segment = await define.addSegment({
      name: 'Germans',
      filters: Object.entries({ country: ['DE', 'AT'], 'props[plan].not': ['pro'], goal: [goal.id] }),
      match: 'any',
    });
    const path = `/websites/${website.id}`;
    const forms = {
      alerts: { rule: 'goal', conversions: '5', goal_id: goal.id, email: '1' },
      links: { name: 'For the board', segment: segment.id, last_day: '2026-12-31' },
      annotations: { day: '2026-11-20', text: 'é' },
    };
    for (const [page, form] of Object.entries(forms)) await postForm(pages, `${path}/${page}`, form, { cookies });

    const { text } = await pages.send('GET', `${path}/changes`, { cookies });

    const values = [...text.matchAll(/<ins>(.*?)<\/ins>/g)].map(([, html = '']) => html.replaceAll(/<[^>]*>/g, ''));
    expect(values).toEqual(
      expect.arrayContaining([
        'plan is pro',
        'Guide (Page is like /guides/*), then Sign (Event is Signup, plan is pro)',
        'Country is Germany or Austria; Goal is Signup; Property plan is not pro',
        'at least one filter',
        'Goal: its conversions of the day reach a number',
        'Signup',
        'Germans',
        '1 Jan 2027, 00:00',
        '20 November 2026',
      ]),
    );
    for (const value of values) expect(value).not.toMatch(/[{}[\]]|\d{4}-\d{2}/);
  });

  test('of passwords are not put back', async () => {
    const website = await pages.addWebsite();
    await postForm(pages, `/websites/${website.id}`, { password: 'x' }, { cookies });
    const [entry] = await trail(website.id);

    const { text } = await pages.send('GET', `/websites/${website.id}/changes`, { cookies });
    const form = { change: entry?.id ?? '', field: 'password' };
    const { status } = await postForm(pages, `/websites/${website.id}/changes`, form, { cookies });

    expect(text).toContain('data-field="password"');
    expect(text).not.toContain('Undo');
    expect(status).toBe(404);
  });

  test('that are no longer possible say why, and change nothing', async () => {
    const website = await pages.addWebsite({ url: 'https://before.example' });
    await postForm(pages, `/websites/${website.id}`, { url: 'https://after.example' }, { cookies });
    await pages.addWebsite({ url: 'https://before.example' });
    const [entry] = await trail(website.id);

    const form = { change: entry?.id ?? '', field: 'url' };
    const { status, text } = await postForm(pages, `/websites/${website.id}/changes`, form, { cookies });

    expect([status, text]).toEqual([409, expect.stringContaining('Nothing was undone')]);
    expect(await stored(website.id)).toMatchObject({ url: 'https://after.example' });
  });

  test('are neither shown nor put back by another account, nor put back with a key of scope read', async () => {
    const website = await pages.addWebsite({ privacy: 'private' });
    await postForm(pages, `/websites/${website.id}`, { privacy: '0' }, { cookies });
    const [entry] = await trail(website.id);
    const form = { change: entry?.id ?? '', field: 'privacy' };
    const foreignKey = await pages.issueKey(pages.otherAccountId);
    const foreign = await postForm(pages, '/sign-in', { key: foreignKey });
    const theirs = await pages.addWebsite({}, pages.otherAccountId);
    const reader = await signIn(pages, 'read');

    const path = `/websites/${website.id}/changes`;
    expect((await pages.send('GET', path, { cookies: foreign.cookies })).status).toBe(404);
    expect((await postForm(pages, path, form, { cookies: foreign.cookies })).status).toBe(404);
    expect((await postForm(pages, `/websites/${theirs.id}/changes`, form, { cookies: foreign.cookies })).status).toBe(
      404,
    );
    expect((await postForm(pages, path, form, { cookies: reader.cookies })).status).toBe(403);
    expect((await pages.send('GET', path, { cookies: reader.cookies })).text).not.toContain('Undo');
    expect(await stored(website.id)).toMatchObject({ privacy: 'public' });
  });

  test('lead to older ones', async () => {
    const website = await pages.addWebsite();
    for (let index = 0; index < 51; index += 1) {
      pages.clock.advance(1);
      await postForm(pages, `/websites/${website.id}`, { privacy: String(index % 2) }, { cookies });
    }

    const { text } = await pages.send('GET', `/websites/${website.id}/changes`, { cookies });
    const [, older = ''] = /href="([^"]+)">Older changes/.exec(text) ?? [];
    const next = await pages.send('GET', older, { cookies });

    expect(text.match(/data-field="privacy"/g)).toHaveLength(50);
    expect(next.text.match(/data-field="privacy"/g)).toHaveLength(1);
    expect(next.text).not.toContain('Older changes');
  });

  test('begin at the newest where the address names a time that no change has', async () => {
    const website = await pages.addWebsite({ privacy: 'private' });
    await postForm(pages, `/websites/${website.id}`, { privacy: '0' }, { cookies });

    for (const time of [-8e15, -1, 253_402_300_800_000, 8e15]) {
      const after = encodeCursor([time, website.id]);
      const { status, text } = await pages.send('GET', `/websites/${website.id}/changes?after=${after}`, { cookies });
      expect([time, status, text]).toEqual([time, 200, expect.stringContaining('data-field="privacy"')]);
    }
  });
});
