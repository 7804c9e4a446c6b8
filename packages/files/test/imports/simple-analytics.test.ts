import { describe, expect, it } from 'vitest';
import { importFolder } from './support.ts';

// docs/imports.md: how the files of Simple Analytics are read.

const { read } = importFolder();

describe('Simple Analytics', () => {
  it('has pageviews, events, agents and labels of campaigns', async () => {
    const { format, rows } = await read(
      [
        'added_iso,country_code,datapoint,document_referrer,hostname,is_robot,lang_language,path,query,session_id,user_agent,utm_source',
        '2026-07-09T01:00:00.000Z,NL,pageview,https://www.google.com/,example.com,false,nl,/é,,s1,Mozilla/5.0,news',
        '2026-07-09T01:00:01.000Z,NL,Signup,,example.com,true,nl,/b,?a=1,s1,Mozilla/5.0,',
      ].join('\n'),
    );

    expect(format).toBe('simple-analytics');
    expect(rows.map(({ hit }) => [hit?.url, hit?.referrer, hit?.name, hit?.automated])).toStrictEqual([
      ['https://example.com/é?utm_source=news', 'https://www.google.com/', undefined, false],
      ['https://example.com/b?a=1', undefined, 'Signup', true],
    ]);
    expect(rows[0]?.stated).toStrictEqual({ country: 'NL', language: 'nl' });
  });

  it.each([
    ['android-app://com.reddit.frontpage', 'android-app://com.reddit.frontpage'],
    ['HTTP://other.example/é', 'HTTP://other.example/é'],
    ['other.example:8080/é', 'https://other.example:8080/é'],
  ])('has the referrer %s as %s', async (sent, referrer) => {
    const { rows } = await read(
      `added_iso,datapoint,document_referrer,path\n2026-07-09T01:00:00.000Z,pageview,${sent},/`,
    );

    expect(rows[0]?.hit?.referrer).toBe(referrer);
  });

  it('names browser, system and device where it has no user agents', async () => {
    const { rows } = await read(
      [
        'added_iso,browser_name,country_code,datapoint,device_type,os_name,path,session_id',
        '2025-07-04T18:39:04.100Z,Chrome,UK,visit_homepage,mobile,Android,/,7b03aa29',
        '2025-07-04T18:39:05.100Z,,,pageview,tablet,,/,7b03aa29',
      ].join('\n'),
    );

    expect(rows.map(({ stated }) => stated)).toStrictEqual([
      { country: 'GB', language: null, browser: 'Chrome', os: 'Android', device: 'mobile' },
      { country: null, language: null, browser: null, os: null, device: 'tablet' },
    ]);
  });
});
