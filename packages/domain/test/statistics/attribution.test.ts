import { describe, expect, test } from 'vitest';
import { attributionOf, externalReferrer, readReferrer } from '../../src/hits/attribution.ts';
import { compileExcludedParameters } from '../../src/hits/excluded-parameters.ts';
import { readPageUrl } from '../../src/hits/page-url.ts';
import { lookups } from './lookups.ts';

function attribute(query: string, referrer?: string) {
  const page = readPageUrl(new URL(`https://ex.com/?${query}`), compileExcludedParameters([]));
  const read = referrer === undefined ? undefined : readReferrer(referrer);
  return attributionOf(page, externalReferrer(read, 'ex.com'), lookups);
}

describe('the referrer', () => {
  test.each([
    ['https://www.Other.example:8443/A/b/?q=1#top', 'other.example/A/b'],
    ['https://user:password@other.example/', 'other.example'],
    ['http://other.example./a;jsessionid=1', 'other.example/a'],
    ['https://notex.com/', 'notex.com'],
    ['https://other.example/%c3%a9/%5f%2f', 'other.example/%C3%A9/_%2F'],
    ['https://bücher.example/é', 'xn--bcher-kva.example/%C3%A9'],
    ['android-app://com.google.android.gm/', 'com.google.android.gm'],
    ['android-app://com.Google.Android.gm/https/mail', 'com.google.android.gm'],
  ])('of %s is %s', (referrer, text) => {
    expect(attribute('', referrer).referrer).toBe(text);
  });

  test.each([
    ['the website itself', 'https://www.ex.com/a'],
    ['a host below it', 'https://shop.ex.com/'],
    ['a text without a scheme', 'other.example'],
    ['an empty text', ''],
    ['another scheme', 'ftp://other.example/'],
    ['a page without a host', 'about:blank'],
    ['a host that is longer than any name', `https://${'x.'.repeat(2000)}example/a`],
    ['an app that is not on the lists', 'android-app://com.unknown/'],
    ['an app without a package', 'android-app:///'],
  ])('is none if it is %s', (_, referrer) => {
    expect(attribute('', referrer)).toMatchObject({ referrer: null, source: null, channel: 'Direct' });
  });

  test('has at most 2,000 characters with its host, and no half escape at its end', () => {
    expect(attribute('', `https://other.example/${'x'.repeat(1986)}`).referrer).toHaveLength(2000);
    expect(attribute('', `https://other.example/${'x'.repeat(4000)}`).referrer).toBe(
      `other.example/${'x'.repeat(1986)}`,
    );
    expect(attribute('', `https://other.example/a${'%2B'.repeat(1000)}`).referrer).toBe(
      `other.example/a${'%2B'.repeat(661)}`,
    );
  });
});

describe('the source', () => {
  const GOOGLE = 'https://www.google.de/';

  test.each([
    ['utm_source=a&source=b&ref=c', GOOGLE, 'a'],
    ['utm_source=&source=b&ref=c', GOOGLE, 'b'],
    ['source=+&ref=c', GOOGLE, 'c'],
    ['utm_source=google', 'https://other.example/', 'Google'],
    ['source=GOOGLE', undefined, 'Google'],
    ['ref=chatgpt.com', undefined, 'ChatGPT'],
    ['', GOOGLE, 'Google'],
    ['', 'https://chatgpt.com/', 'ChatGPT'],
    ['', 'https://lists.example/known', 'Known'],
    ['', 'https://www.other.example/a', 'other.example'],
    ['', 'android-app://com.google.android.gm/', 'Gmail'],
    ['', undefined, null],
  ])('of ?%s from %s is %s', (query, referrer, source) => {
    expect(attribute(query, referrer).source).toBe(source);
  });

  test('the five utm labels are kept decoded', () => {
    expect(attribute('utm_source=A&utm_medium=b&utm_campaign=c+d&utm_content=%C3%A9&utm_term=')).toMatchObject({
      utmSource: 'A',
      utmMedium: 'b',
      utmCampaign: 'c d',
      utmContent: 'é',
      utmTerm: null,
    });
  });

  test('takes the name of a label from the lists, and the label itself stays as it is', () => {
    expect(attribute('utm_source=google&utm_medium=cpc')).toMatchObject({ source: 'Google', utmSource: 'google' });
  });
});

describe('the channel', () => {
  const PAID_CLICKS = 'gclid gbraid wbraid dclid gad_source gad_campaignid msclkid twclid ttclid li_fat_id yclid';

  test.each(['cpc', 'CPM', 'xcpx', 'paid', 'Paid-Social', 'ppc', 'retargeting'])(
    'is Paid with utm_medium %s',
    (medium) => {
      expect(attribute(`utm_medium=${medium}`).channel).toBe('Paid');
    },
  );

  test.each(PAID_CLICKS.split(' '))('is Paid with the click id %s, even from a search', (name) => {
    expect(attribute(`${name}=1`, 'https://www.google.de/').channel).toBe('Paid');
    expect(attribute(`${name}=1&utm_medium=email`).channel).toBe('Paid');
  });

  test.each([
    ['email', 'Email'],
    ['E-Mail', 'Email'],
    ['newsletter', 'Email'],
    ['social', 'Social'],
    ['social-media', 'Social'],
    ['Social-Network', 'Social'],
    ['sm', 'Social'],
    ['organic', 'Search'],
    ['video', 'Video'],
    ['affiliate', 'Affiliates'],
    ['affiliates', 'Affiliates'],
    ['referral', 'Referral'],
    ['unpaid', 'Campaign'],
    ['banner', 'Campaign'],
  ])('with utm_medium %s is %s, whatever the referrer', (medium, channel) => {
    expect(attribute(`utm_medium=${medium}`).channel).toBe(channel);
    expect(attribute(`utm_medium=${medium}`, 'https://www.google.de/').channel).toBe(channel);
  });

  test.each([
    ['https://chatgpt.com/', 'AI assistants'],
    ['https://www.youtube.com/watch', 'Video'],
    ['https://t.me/a', 'Social'],
    ['https://www.google.de/', 'Search'],
    ['https://lists.example/known', 'Search'],
    ['https://lists.example/', 'Referral'],
    ['android-app://com.google.android.gm/', 'Referral'],
    ['https://other.example/', 'Referral'],
    ['https://ex.com/', 'Direct'],
    [undefined, 'Direct'],
  ])('without labels, from %s, is %s', (referrer, channel) => {
    expect(attribute('', referrer).channel).toBe(channel);
  });

  test.each(['utm_source', 'utm_campaign', 'utm_content', 'utm_term', 'source', 'ref'])(
    'with %s alone is Campaign, unless the referrer is on the lists',
    (label) => {
      expect(attribute(`${label}=x`).channel).toBe('Campaign');
      expect(attribute(`${label}=x`, 'https://other.example/').channel).toBe('Campaign');
      expect(attribute(`${label}=x`, 'https://www.google.de/').channel).toBe('Search');
    },
  );

  test('is not Campaign with utm_id or fbclid', () => {
    expect(attribute('utm_id=1&fbclid=2').channel).toBe('Direct');
  });
});
