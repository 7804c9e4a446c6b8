import type { HitLookups } from '../../src/hits/hit.ts';

/** Lookups that know a handful of hosts, agents and addresses. */
export const lookups: HitLookups = {
  crawlerOf: (userAgent) => (/bot/i.test(userAgent) ? { operator: userAgent, purpose: 'search' } : undefined),
  deviceOf: (userAgent) =>
    userAgent.includes('Firefox')
      ? { browser: 'Firefox', os: 'Linux', device: 'desktop' }
      : { browser: null, os: null, device: 'other' },
  countryOf: (ip) => (ip.startsWith('203.0.113.') ? 'DE' : null),
  networkOf: (ip) => (ip.startsWith('192.0.2.') ? 'hosting' : null),
  sourceOf: (address) => SOURCES.get(address) ?? SOURCES.get(address.replace(/\/.*/, '')),
  sourceNamed: (label) => NAMES.get(label.toLowerCase()),
  isSpamReferrer: (host) => host === 'spam.example' || host.endsWith('.spam.example'),
};

const NAMES: ReadonlyMap<string, string> = new Map([
  ['google', 'Google'],
  ['chatgpt.com', 'ChatGPT'],
]);

const SOURCES: ReadonlyMap<string, ReturnType<HitLookups['sourceOf']>> = new Map([
  ['www.google.de', { name: 'Google', channel: 'Search' }],
  ['chatgpt.com', { name: 'ChatGPT', channel: 'AI assistants' }],
  ['www.youtube.com', { name: 'YouTube', channel: 'Video' }],
  ['t.me', { name: 'Telegram', channel: 'Social' }],
  ['com.google.android.gm', { name: 'Gmail', channel: null }],
  ['lists.example/known', { name: 'Known', channel: 'Search' }],
]);
