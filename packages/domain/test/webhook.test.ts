import { describe, expect, it } from 'vitest';
import { InvalidFields, shownUrl, type WebhookInput } from '../src/index.ts';
import { changeWebhook, makeWebhook, parseNewWebhook } from '../src/webhooks/webhook.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const INPUT: WebhookInput = { url: 'https://hooks.example/é', events: ['alert.fired'] };

const faultsOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    if (error instanceof InvalidFields) return error.faults.map(({ field, code }) => `${field} ${code}`);
    throw error;
  }
  return [];
};
const made = (input: WebhookInput = INPUT) =>
  makeWebhook(parseNewWebhook(input), 'id', NOW, (size) => new Uint8Array(size).fill(1));

describe('a new webhook', () => {
  it('is of format json, active, and about all websites unless said otherwise', () => {
    expect(made()).toEqual({
      id: 'id',
      url: 'https://hooks.example/%C3%A9',
      format: 'json',
      events: ['alert.fired'],
      websiteIds: null,
      secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
      isActive: true,
      failingSince: null,
      createdAt: NOW,
      updatedAt: NOW,
    });
  });

  it('has no secret where messages are not signed', () => {
    expect(made({ ...INPUT, format: 'slack' }).secret).toBeNull();
  });

  it('has its events and websites once', () => {
    const events = ['alert.fired', 'website.created', 'alert.fired'] as const;
    expect(made({ ...INPUT, events, websiteIds: ['A', 'a', 'b'] })).toMatchObject({
      events: ['website.created', 'alert.fired'],
      websiteIds: ['a', 'b'],
    });
  });

  it.each([
    [undefined, 'required'],
    ['', 'required'],
    ['example.com', 'invalid_url'],
    ['ftp://example.com', 'invalid_url'],
    ['file:///etc/passwd', 'invalid_url'],
    ['https://user:password@example.com', 'invalid_url'],
    ['https://example.com/#a', 'invalid_url'],
    ['https://example.com/\n', 'invalid_url'],
    ['https:\\\\example.com', 'invalid_url'],
    [`https://example.com/${'a'.repeat(2_048)}`, 'too_long'],
  ])('rejects the url %j: %s', (url, code) => {
    expect(faultsOf(() => parseNewWebhook({ ...INPUT, url }))).toEqual([`url ${code}`]);
  });

  it('needs the chat in the URL of a Telegram bot', () => {
    const url = 'https://api.telegram.org/bot1:a/sendMessage';
    expect(faultsOf(() => parseNewWebhook({ ...INPUT, url, format: 'telegram' }))).toEqual(['url invalid_url']);
    expect(faultsOf(() => parseNewWebhook({ ...INPUT, url: `${url}?chat_id=7`, format: 'telegram' }))).toEqual([]);
  });

  it('rejects empty lists, and says all faults at once', () => {
    expect(faultsOf(() => parseNewWebhook({ events: [], websiteIds: [] }))).toEqual([
      'url required',
      'events required',
      'websiteIds required',
    ]);
    expect(faultsOf(() => parseNewWebhook({ url: 'https://a.example' }))).toEqual(['events required']);
    const websiteIds = Array.from({ length: 101 }, (_, index) => `${index}`);
    expect(faultsOf(() => parseNewWebhook({ ...INPUT, websiteIds }))).toEqual(['websiteIds too_many']);
  });
});

describe('a changed webhook', () => {
  it('keeps what is not sent, and is unmodified by changes to the same', () => {
    const webhook = made();
    expect(changeWebhook(webhook, {}, NOW)).toBe(webhook);
    expect(changeWebhook(webhook, { ...INPUT, format: 'json', isActive: true, websiteIds: null }, NOW)).toBe(webhook);
    expect(changeWebhook(webhook, { isActive: false }, NOW)).toEqual({
      ...webhook,
      isActive: false,
      updatedAt: new Date(NOW.getTime() + 1),
    });
  });

  it('keeps the URL of a chat service where the shown one is sent back', () => {
    const webhook = made({ ...INPUT, url: 'https://hooks.slack.com/services/T/B/x', format: 'slack' });
    expect(shownUrl(webhook)).toBe('https://hooks.slack.com/…');
    expect(changeWebhook(webhook, { url: 'https://hooks.slack.com/…' }, NOW)).toBe(webhook);
  });

  it('cannot change its format, which would show the URL of a chat service', () => {
    expect(faultsOf(() => changeWebhook(made({ ...INPUT, format: 'slack' }), { format: 'json' }, NOW))).toEqual([
      'format not_allowed',
    ]);
  });

  it('forgets its failures when it is turned on, and with another URL', () => {
    const failing = { ...made(), failingSince: NOW };
    const off = { ...failing, isActive: false };
    expect(changeWebhook(off, { isActive: true }, NOW)).toMatchObject({ isActive: true, failingSince: null });
    expect(changeWebhook(failing, { url: 'https://other.example' }, NOW).failingSince).toBeNull();
    expect(changeWebhook(failing, { ...INPUT, events: ['report.ready'] }, NOW).failingSince).toEqual(NOW);
  });
});
