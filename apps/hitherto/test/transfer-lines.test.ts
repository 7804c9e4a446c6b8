import type { TransferItem } from '@hitherto/domain';
import { aLink, anAccount, anAnnotation, anApiKey, aWebsite } from '@hitherto/domain/testing';
import { describe, expect, test } from 'vitest';
import { readLines, writeLines } from '../src/cli/transfer-lines.ts';

const ITEMS: TransferItem[] = [
  { type: 'account', account: anAccount() },
  { type: 'key', key: anApiKey({ expiresAt: new Date('2027-01-01T00:00:00.000Z'), label: null }) },
  {
    type: 'website',
    accountId: anAccount().id,
    website: aWebsite({
      passwordHash: '$argon2id$v=19$x',
      timeZone: 'Asia/Kolkata',
      aliases: ['matomo:3'],
      embedOrigins: ['*'],
    }),
  },
  { type: 'website', accountId: anAccount().id, website: aWebsite({ excludedIps: [], excludedParams: [] }) },
];

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const value of values) collected.push(value);
  return collected;
}

const written = () => collect(writeLines(each(ITEMS)));
const read = (lines: readonly string[]) => collect(readLines(each(lines)));

const OF_WEBSITE = { accountId: anAccount().id, websiteId: aWebsite().id };
const AT = { createdAt: new Date('2026-11-20T12:00:00.123Z'), updatedAt: new Date('2026-11-21T12:00:00.123Z') };
const SIGNUP = { rule: { event: 'Signup', props: { a: '', plan: 'pro' } }, sum: 'amount' };
const DEFINITIONS: TransferItem[] = [
  { type: 'goal', ...OF_WEBSITE, definition: { id: idOf(1), name: 'é 🦊', content: SIGNUP, ...AT } },
  {
    type: 'goal',
    ...OF_WEBSITE,
    definition: { id: idOf(2), name: 'b', content: { rule: { page: '/*' }, sum: null }, ...AT },
  },
  {
    type: 'segment',
    ...OF_WEBSITE,
    definition: {
      id: idOf(3),
      name: 'Readers',
      content: {
        match: 'any',
        filters: [
          { kind: 'dimension', dimension: 'country', comparator: 'is', isNegated: true, values: ['DE', null] },
          { kind: 'goal', isNegated: false, goals: [idOf(1)] },
        ],
      },
      ...AT,
    },
  },
  {
    type: 'funnel',
    ...OF_WEBSITE,
    definition: {
      id: idOf(4),
      name: 'Purchase',
      content: {
        steps: [
          { name: 'a', rule: { page: '/' } },
          { name: 'b', rule: { event: 'Paid', props: {} } },
        ],
      },
      ...AT,
    },
  },
  {
    type: 'link',
    ...OF_WEBSITE,
    link: aLink({ id: idOf(5), segmentId: idOf(3), expiresAt: AT.updatedAt, passwordHash: '$argon2id$v=19$x' }),
  },
  { type: 'link', ...OF_WEBSITE, link: aLink({ id: idOf(6) }) },
  { type: 'annotation', ...OF_WEBSITE, annotation: anAnnotation({ id: idOf(7), isPublic: true }) },
  {
    type: 'alert',
    ...OF_WEBSITE,
    alert: {
      ...{ id: idOf(8), rule: 'goal', threshold: 5, hours: null, percent: null, goalId: idOf(1), ...AT },
      ...{ email: true, webhooks: false },
    },
  },
  {
    type: 'webhook',
    accountId: anAccount().id,
    webhook: {
      ...{ id: idOf(9), format: 'json', events: ['website.updated', 'alert.fired'], websiteIds: [idOf(1)], ...AT },
      ...{ isActive: false, sealedUrl: `${'Ab+/'.repeat(10)}Aa==`, sealedSecret: 'c2Vj'.repeat(12) },
    },
  },
];

function idOf(number: number): string {
  return `01997c3e-0000-7000-8000-00000000000${number}`;
}

describe('segments, goals, funnels, links, annotations, alerts and webhooks in an export', () => {
  const lines = () => collect(writeLines(each([...ITEMS, ...DEFINITIONS])));

  test('are complete: reading them returns the same', async () => {
    expect(await read(await lines())).toEqual([...ITEMS, ...DEFINITIONS]);
  });

  test('have the fields of the API, and are counted in the last line', async () => {
    const written = await lines();

    expect(JSON.parse(written[6] ?? '')).toMatchObject({ type: 'goal', name: 'b', page: '/*' });
    expect(JSON.parse(written[7] ?? '')).toMatchObject({ filters: { 'country.not': ['DE', ''], goal: [idOf(1)] } });
    expect(JSON.parse(written.at(-1) ?? '')).toEqual({
      ...{ type: 'end', accounts: 1, keys: 1, websites: 2 },
      ...{ goals: 2, segments: 1, funnels: 1, links: 2, annotations: 1, alerts: 1, webhooks: 1 },
    });
  });

  test('are not named where there are none, so that earlier versions can read the file', async () => {
    expect(JSON.parse((await written()).at(-1) ?? '')).toEqual({ type: 'end', accounts: 1, keys: 1, websites: 2 });
  });

  test.each<[string, (lines: string[]) => string[], string]>([
    ['an unknown operator', (all) => all.with(7, (all[7] ?? '').replace('country.not', 'country.foo')), 'Line 8'],
    ['a goal by event and page', (all) => all.with(5, (all[5] ?? '').replace('"sum"', '"page"')), 'Line 6'],
    ['a funnel of one step', (all) => all.with(8, (all[8] ?? '').replace(/,\{"name":"b".*?\}/, '')), 'Line 9'],
    ['a link that never worked', (all) => all.with(9, (all[9] ?? '').replace('2026-11-21', '2026-11-19')), 'Line 10'],
    [
      'a day that does not exist',
      (all) => all.with(11, (all[11] ?? '').replace('2026-11-20"', '2026-02-30"')),
      'Line 12',
    ],
    [
      'a token in place of its hash',
      (all) => all.with(9, (all[9] ?? '').replace(/"token_hash":"\w+/, '"token_hash":"x')),
      'Line 10',
    ],
    [
      'an alert without its goal',
      (all) => all.with(12, (all[12] ?? '').replace(/"goal_id":"[^"]+"/, '"goal_id":null')),
      'Line 13',
    ],
    ['an alert of an unknown rule', (all) => all.with(12, (all[12] ?? '').replace('"goal"', '"gaol"')), 'Line 13'],
    [
      'a URL of a webhook in plain text',
      (all) =>
        all.with(
          13,
          (all[13] ?? '').replace(
            /"sealed_url":"[^"]+"/,
            '"sealed_url":"https://hooks.example/a-path-that-is-long-enough"',
          ),
        ),
      'Line 14',
    ],
    [
      'a truncated URL of a webhook',
      (all) => all.with(13, (all[13] ?? '').replace(/"sealed_url":"[^"]+"/, '"sealed_url":"c2Vj"')),
      'Line 14',
    ],
    [
      'a webhook without its secret',
      (all) => all.with(13, (all[13] ?? '').replace(/"sealed_secret":"[^"]+"/, '"sealed_secret":null')),
      'Line 14',
    ],
    [
      'a webhook of no event',
      (all) => all.with(13, (all[13] ?? '').replace(/"events":\[[^\]]+\]/, '"events":[]')),
      'Line 14',
    ],
    [
      'a webhook of no website',
      (all) => all.with(13, (all[13] ?? '').replace(/"website_ids":\[[^\]]+\]/, '"website_ids":[]')),
      'Line 14',
    ],
    ['a long name', (all) => all.with(6, (all[6] ?? '').replace('"b"', `"${'b'.repeat(65)}"`)), 'Line 7'],
    ['an unknown member', (all) => all.with(6, (all[6] ?? '').replace('"name"', '"nom"')), 'Line 7'],
    ['a missing line', (all) => all.toSpliced(7, 1), 'incomplete'],
  ])('%s is rejected with its line, or as incomplete', async (_, spoil, text) => {
    await expect(read(spoil(await lines()))).rejects.toThrow(text);
  });
});

describe('the lines of an export', () => {
  test('hold accounts, keys and websites completely: reading them returns the same', async () => {
    const lines = await written();

    expect(await read(lines)).toEqual(ITEMS);
    expect(lines.every((line) => line.endsWith('\n') && line.indexOf('\n') === line.length - 1)).toBe(true);
  });

  test('have no e-mail address if the account has none, like those of earlier versions', async () => {
    const account = anAccount({ email: null });

    const lines = await collect(writeLines(each([{ type: 'account', account }])));

    expect(JSON.parse(lines[1] ?? '')).toEqual({
      type: 'account',
      id: account.id,
      name: account.name,
      created_at: account.createdAt.toISOString(),
    });
    expect(await read(lines)).toEqual([{ type: 'account', account }]);
  });

  test('of a website without a time zone and aliases do not name them, so that earlier versions can read them', async () => {
    const lines = await written();

    expect(lines.map((line) => 'time_zone' in JSON.parse(line) && 'aliases' in JSON.parse(line))).toEqual([
      false,
      false,
      false,
      true,
      false,
      false,
    ]);
  });

  test.each<[string, (lines: string[]) => string[], string]>([
    ['an invalid address', (lines) => lines.with(1, (lines[1] ?? '').replace('@', ' ')), 'Line 2'],
    [
      'an address without its time',
      (lines) => lines.with(1, (lines[1] ?? '').replace(/,"email_since".*(?=})/, '')),
      'Line 2',
    ],
    [
      'a file that was cut off in a line',
      (lines) => [...lines.slice(0, -1), lines.at(-1)?.slice(0, 20) ?? ''],
      'Line 6',
    ],
    ['a file without its last line', (lines) => lines.slice(0, -1), 'incomplete'],
    ['a file that lacks a line in the middle', (lines) => lines.toSpliced(2, 1), 'incomplete'],
    ['an empty file', () => [], 'incomplete'],
    ['another file', () => ['{"hello":1}'], 'Line 1'],
    ['a later format', (lines) => ['{"type":"hitherto_export","format":2}', ...lines.slice(1)], 'Line 1'],
    ['a line after the end', (lines) => [...lines, lines[1] ?? ''], 'Line 7'],
    ['an unknown member', (lines) => lines.with(1, (lines[1] ?? '').replace('"name"', '"nom"')), 'Line 2'],
    [
      'a key in plain text',
      (lines) => lines.with(2, (lines[2] ?? '').replace(/"hash":"[^"]*"/, '"hash":"hto_x"')),
      'Line 3',
    ],
    [
      'a url that is not in normal form',
      (lines) => lines.with(3, (lines[3] ?? '').replace('.example/', '.EXAMPLE/')),
      'Line 4',
    ],
    ['a setting of another type', (lines) => lines.with(3, (lines[3] ?? '').replace('"Asia/Kolkata"', '7')), 'Line 4'],
    ['an alias with a space', (lines) => lines.with(3, (lines[3] ?? '').replace('matomo:3', 'matomo 3')), 'Line 4'],
    ['an unknown time zone', (lines) => lines.with(3, (lines[3] ?? '').replace('Kolkata', 'Kolkota')), 'Line 4'],
    [
      'a time zone that is not in normal form',
      (lines) => lines.with(3, (lines[3] ?? '').replace('Asia/Kolkata', 'europe/berlin')),
      'Line 4',
    ],
    [
      'an exclusion that is not valid',
      (lines) => lines.with(3, (lines[3] ?? '').replace('203.0.113.0/24', '0.0.0.0/0')),
      'Line 4',
    ],
  ])('%s is rejected with its line, or as incomplete', async (_, spoil, text) => {
    const lines = spoil(await written());

    await expect(read(lines)).rejects.toThrow(text);
  });
});
