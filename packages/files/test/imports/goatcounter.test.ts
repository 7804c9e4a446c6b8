import { describe, expect, it } from 'vitest';
import { importFolder } from './support.ts';

// docs/imports.md: how the files of GoatCounter are read.

const { read } = importFolder();

describe('GoatCounter', () => {
  const HEADER =
    '2Path,Title,Event,UserAgent,Browser,System,Session,Bot,Referrer,Referrer scheme,Screen size,Location,FirstVisit,Date';

  it('has paths of the website, groups of referrers and campaigns', async () => {
    const { format, rows } = await read(
      [
        HEADER,
        '/a,A,false,,Firefox 115,Mac OS 10.15,abc,0,Google,g,1440x900,KR-11,true,2026-07-09T01:00:00Z',
        '/a,A,false,,Chrome,Android 14,abd,0,example.org/x,h,,US,true,2026-07-09T03:00:00+02:00',
        '/a?b=1,A,false,,Chrome,Linux,abe,0,summer sale,c,,,true,2026-07-09T01:00:00Z',
        '/a,A,false,,Chrome,Linux,abe,0,https://blog.example/post,c,,,true,2026-07-09T01:00:00Z',
        'signup,,true,,Chrome,Linux,abe,0,,,,,true,2026-07-09T01:01:00Z',
        '/a,A,false,Googlebot/2.1,,,abf,7,,,,,true,2026-07-09T01:00:00Z',
      ].join('\r\n'),
    );

    expect(format).toBe('goatcounter');
    expect(rows.map(({ hit }) => [hit?.url, hit?.referrer, hit?.name, hit?.automated])).toStrictEqual([
      ['https://example.com/a', 'https://www.google.com', undefined, false],
      ['https://example.com/a', 'https://example.org/x', undefined, false],
      ['https://example.com/a?b=1&utm_source=summer%20sale', undefined, undefined, false],
      ['https://example.com/a', 'https://blog.example/post', undefined, false],
      ['https://example.com/', undefined, 'signup', false],
      ['https://example.com/a', undefined, undefined, true],
    ]);
    expect(rows[0]?.stated).toStrictEqual({ country: 'KR', browser: 'Firefox', os: 'macOS', device: 'desktop' });
    expect(rows[1]?.stated).toStrictEqual({ country: 'US', browser: 'Chrome', os: 'Android', device: 'mobile' });
    expect(rows[1]?.hit?.time).toStrictEqual(new Date('2026-07-09T01:00:00Z'));
  });

  it.each([
    ['Hacker News', 'https://news.ycombinator.com'],
    ['Telegram Messenger', 'https://web.telegram.org'],
    ['Slack Chat', 'https://slack.com'],
    ['www.facebook.com', 'https://www.facebook.com'],
    ['www.reddit.com', 'https://www.reddit.com'],
  ])('has the group %s as a site', async (group, referrer) => {
    const { rows } = await read([HEADER, `/a,A,false,,,,abc,0,${group},g,,,true,2026-07-09T01:00:00Z`].join('\n'));

    expect(rows[0]?.hit?.referrer).toBe(referrer);
    expect(rows[0]?.stated).not.toHaveProperty('source');
  });

  it.each(['Email', 'RSS', 'Söme groups'])('has the group %s, which is no site, as a source', async (group) => {
    const { rows } = await read([HEADER, `/a,A,false,,,,abc,0,${group},g,,,true,2026-07-09T01:00:00Z`].join('\n'));

    expect(rows[0]?.hit).not.toHaveProperty('referrer');
    expect(rows[0]?.stated).toMatchObject({ source: group, channel: 'Referral' });
  });
});

describe('GoatCounter without sessions', () => {
  it('has a visitor for each hit, also of the same page in the same second', async () => {
    const lines = ['0-0', '0-0', '', '1a-0', '1a-0'].map((session) => `/a,${session},2026-07-09T01:00:00Z`);
    const { rows } = await read(['2Path,Session,Date', ...lines].join('\n'));

    const visitors = rows.map(({ hit }) => hit?.visitor);
    expect(new Set(visitors).size).toBe(4);
    expect(visitors.slice(3)).toStrictEqual(['1a-0', '1a-0']);
  });
});
