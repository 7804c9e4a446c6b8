import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { HitLookups } from '@hitherto/domain/hits';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadSources } from '../../src/lookups/sources.ts';

const folder = fileURLToPath(new URL('../../', import.meta.url));

describe('the source of a referrer', () => {
  let sourceOf: HitLookups['sourceOf'];
  let sourceNamed: HitLookups['sourceNamed'];
  beforeAll(async () => {
    ({ sourceOf, sourceNamed } = await loadSources());
  });

  test.each([
    ['google.com', 'Google', 'Search'],
    ['google.de', 'Google', 'Search'],
    ['google.co.uk', 'Google', 'Search'],
    ['google.com.au', 'Google', 'Search'],
    ['news.google.fr', 'Google News', 'Search'],
    ['yandex.com.tr', 'Yandex', 'Search'],
    ['bing.com', 'Bing', 'Search'],
    ['html.duckduckgo.com', 'DuckDuckGo', 'Search'],
    ['qwant.com', 'Qwant', 'Search'],
    ['chatgpt.com', 'ChatGPT', 'AI assistants'],
    ['perplexity.ai', 'Perplexity', 'AI assistants'],
    ['poe.com', 'Poe', 'AI assistants'],
    ['gemini.google.com', 'Gemini', 'AI assistants'],
    ['facebook.com', 'Facebook', 'Social'],
    ['t.co', 'Twitter', 'Social'],
    ['t.me', 'Telegram', 'Social'],
    ['ok.ru', 'Odnoklassniki', 'Social'],
    ['news.ycombinator.com', 'Hacker News', 'Social'],
    ['plus.google.com', 'Google+', 'Social'],
    ['youtube.com', 'YouTube', 'Video'],
    ['youtu.be', 'YouTube', 'Video'],
    ['vimeo.com', 'Vimeo', 'Video'],
    ['twitch.tv', 'Twitch', 'Video'],
    ['dailymotion.com', 'Dailymotion', 'Video'],
    ['tiktok.com', 'TikTok', 'Video'],
  ])('%s is %s of %s', (host, name, channel) => {
    expect(sourceOf(host)).toEqual({ name, channel });
  });

  test.each([
    ['www.google.de', 'Google'],
    ['m.youtube.com', 'YouTube'],
    ['mobile.twitter.com', 'Twitter'],
    ['l.facebook.com', 'Facebook'],
    ['lm.facebook.com', 'Facebook'],
    ['out.reddit.com', 'Reddit'],
    ['old.reddit.com', 'Reddit'],
    ['amp.reddit.com', 'Reddit'],
    ['de.search.yahoo.com', 'Yahoo!'],
    ['de.pinterest.com', 'Pinterest'],
    ['images.uk.ask.com', 'Ask'],
    ['touch.facebook.com', 'Facebook'],
    ['mbasic.facebook.com', 'Facebook'],
    ['business.facebook.com', 'Facebook'],
    ['m.business.facebook.com', 'Facebook'],
    ['de-de.facebook.com', 'Facebook'],
    ['0.facebook.com', 'Facebook'],
    ['lm2.facebook.com', 'Facebook'],
    ['business.linkedin.com', 'LinkedIn'],
    ['business.pinterest.com', 'Pinterest'],
    ['www2.bing.com', 'Bing'],
    ['wap.baidu.com', 'Baidu'],
    ['m5.baidu.com', 'Baidu'],
    ['wap.sogou.com', 'Sogou'],
    ['www.m.baidu.com', 'Baidu'],
    ['h5.weibo.com', 'Weibo'],
  ])('%s counts as %s', (host, name) => {
    expect(sourceOf(host)?.name).toBe(name);
  });

  test.each([
    ['the parent of a host does not count', 'mail.google.com'],
    ['the business pages of a host that is not on the lists', 'business.other.example'],
    ['a version of a subdomain', 'm.mail.google.com'],
    ['other labels are not removed', 'blog.reddit.com'],
    ['a top-level domain has no further domain below it', 'google.github.io'],
    ['a top-level domain is not another host', 'google.com.example.com'],
    ['a name must be whole', 'notgoogle.com'],
    ['an odd entry of the lists is dropped', 'www.cnn.com'],
    ['the sign-in page of Microsoft is dropped', 'login.live.com'],
    ['a host without a dot', 'localhost'],
    ['an address', '203.0.113.7'],
    ['an empty host', ''],
  ])('%s: %s is not a known source', (_rule, host) => {
    expect(sourceOf(host)).toBeUndefined();
  });

  test.each([
    ['com.google.android.googlequicksearchbox', 'Google', 'Search'],
    ['com.reddit.frontpage', 'Reddit', 'Social'],
    ['com.linkedin.android', 'LinkedIn', 'Social'],
    ['com.google.android.youtube', 'YouTube', 'Video'],
    ['com.openai.chatgpt', 'ChatGPT', 'AI assistants'],
  ])('the package %s is %s of %s', (host, name, channel) => {
    expect(sourceOf(host)).toEqual({ name, channel });
  });

  test.each([
    ['google', 'Google'],
    ['GOOGLE', 'Google'],
    ['reddit', 'Reddit'],
    ['chatgpt', 'ChatGPT'],
    ['chatgpt.com', 'ChatGPT'],
    ['www.google.de', 'Google'],
    ['l.facebook.com', 'Facebook'],
    ['hackernews', 'Hacker News'],
    ['hacker-news', 'Hacker News'],
    ['product_hunt', 'Product Hunt'],
    ['yahoo', 'Yahoo!'],
    ['google+', 'Google+'],
    ['com.linkedin.android', 'LinkedIn'],
  ])('the label %s names %s', (label, name) => {
    expect(sourceNamed(label)).toBe(name);
  });

  test.each(['newsletter', 'googleads', 'x', 'mail.google.com', '!', ''])('the label %j names nothing', (label) => {
    expect(sourceNamed(label)).toBeUndefined();
  });

  test('an entry with a path counts only with that path', () => {
    const names = ['/i/grok', '/i/grok/share/x', '/i/grokking', '/i', ''].map((path) => sourceOf(`x.com${path}`)?.name);

    expect(names).toEqual(['Grok', 'Grok', 'Twitter', 'Twitter', 'Twitter']);
  });

  test('an entry with a path takes precedence over one without', () => {
    expect(sourceOf('google.fr/imgres')?.name).toBe('Google Images');
    expect(sourceOf('bing.com/images/search')?.name).toBe('Bing Images');
  });

  test('letter case does not matter', () => {
    expect(sourceOf('WWW.Google.DE')?.name).toBe('Google');
  });

  test('a very long host is looked up within a millisecond', () => {
    const started = process.cpuUsage();

    for (let i = 0; i < 1_000; i += 1) sourceOf('ab.'.repeat(80) + i);

    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(1_000);
  });
});

test('the list of sources is the output of its script', () => {
  const made = execFileSync(process.execPath, ['scripts/make-sources.mjs'], { cwd: folder, encoding: 'utf8' });

  expect(made).toBe(readFileSync(`${folder}lists/sources.tsv`, 'utf8'));
});
