import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadCrawlers } from '../../src/lookups/crawlers.ts';

const LINES = readFileSync(new URL('../../lists/crawlers.tsv', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const GOOGLEBOT =
  'Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

let crawlerOf: Awaited<ReturnType<typeof loadCrawlers>>;
beforeAll(async () => {
  crawlerOf = await loadCrawlers();
});

describe('a crawler on the list', () => {
  test.each([
    [GOOGLEBOT, 'Google', 'search'],
    ['Googlebot-Image/1.0', 'Google', 'search'],
    ['Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)', 'Microsoft', 'search'],
    [
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
      'OpenAI',
      'ai_training',
    ],
    [
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot',
      'OpenAI',
      'ai_search',
    ],
    [
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot',
      'OpenAI',
      'ai_agent',
    ],
    [
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)',
      'Anthropic',
      'ai_training',
    ],
    ['Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)', 'Ahrefs', 'seo'],
    ['facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)', 'Meta', 'preview'],
    [
      'meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)',
      'Meta',
      'ai_training',
    ],
    ['Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)', 'Slack', 'preview'],
    ['Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)', 'UptimeRobot', 'monitoring'],
    ['kube-probe/1.31+', 'Kubernetes', 'monitoring'],
    ['Screaming Frog SEO Spider/21.0', 'Screaming Frog', 'seo'],
  ])('has its operator and purpose: %s', (agent, operator, purpose) => {
    expect(crawlerOf(agent)).toEqual({ operator, purpose });
  });

  test('is found whatever the letter case of its token', () => {
    expect(crawlerOf('GPTBOT/1.0').operator).toBe('OpenAI');
  });

  test('is not found within a longer word', () => {
    expect(crawlerOf('Notslackbot/1.0').operator).toBe('Notslackbot');
    expect(crawlerOf('Pinterestingbot/1.0').operator).toBe('Pinterestingbot');
  });
});

describe('a crawler that is on no list', () => {
  test.each([
    ['curl/8.14.1', 'curl'],
    ['python-requests/2.32.3', 'python-requests'],
    ['Go-http-client/2.0', 'Go-http-client'],
    ['Mozilla/5.0 (compatible; ExampleBot/1.0; +https://bot.example/)', 'ExampleBot'],
    [`${CHROME} (compatible; OtherExample/2)`, 'OtherExample'],
    [CHROME.replace('Chrome', 'HeadlessChrome'), 'HeadlessChrome'],
    [`${CHROME} Examplefetcher/1.0`, 'Examplefetcher'],
    ['Mozilla/5.0', '(unknown)'],
    ['-', '(unknown)'],
    [`${'x'.repeat(100)}/1.0`, 'x'.repeat(64)],
    ['Mozilla/5.0 (compatible; Foo\0bot/1.0)', 'Foo'],
    ['Mozilla/5.0 (compatible; \ud83dbot/1.0)', 'bot'],
    [`Mozilla/5.0 (compatible; ${'x'.repeat(63)}🦊🦊/1.0)`, `${'x'.repeat(63)}🦊`],
  ])('has its product token as operator: %s', (agent, operator) => {
    expect(crawlerOf(agent)).toEqual({ operator, purpose: 'other' });
  });
});

describe('the list', () => {
  test('has three columns or four, each token once, and the last one is a page on the web', () => {
    const rows = LINES.map((line) => line.split('\t'));

    expect(rows.filter((row) => row.length < 3 || row.length > 4 || row.includes(''))).toEqual([]);
    expect(rows.filter(([, , , page]) => page !== undefined && !/^https?:\/\/\S+$/.test(page))).toEqual([]);
    expect(new Set(rows.map(([token]) => token?.toLowerCase())).size).toBe(rows.length);
  });

  test('finds each token in the agent that has it alone', () => {
    const missed = LINES.map((line) => line.split('\t')).filter(
      ([token, operator]) => crawlerOf(`${token}/1.0`).operator !== operator,
    );

    expect(missed).toEqual([]);
  });
});

test('any string has a crawler, in time proportional to its length', () => {
  const hostile = ['('.repeat(50_000), 'compatible;'.repeat(5_000), 'a'.repeat(50_000), '\ud83e\u0000é🦊'];
  const start = process.cpuUsage();

  for (const agent of hostile) expect(crawlerOf(agent).operator.length).toBeGreaterThan(0);

  expect(process.cpuUsage(start).user / 1_000).toBeLessThan(1_000);
});
