import { describe, expect, it } from 'vitest';
import { InvalidFields } from '../src/base/errors.ts';
import {
  changeWebhook,
  makeWebhook,
  parseNewWebhook,
  parseWebhookChanges,
  shownUrl,
  type Webhook,
  type WebhookInput,
} from '../src/webhooks/webhook.ts';

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

const change = (webhook: Webhook, input: WebhookInput) => changeWebhook(webhook, parseWebhookChanges(input), NOW);

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
    expect(made({ ...INPUT, events, website_ids: ['A', 'a', 'b'] })).toMatchObject({
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
    expect(faultsOf(() => parseNewWebhook({ events: [], website_ids: [] }))).toEqual([
      'url required',
      'events required',
      'website_ids required',
    ]);
    expect(faultsOf(() => parseNewWebhook({ url: 'https://a.example' }))).toEqual(['events required']);
    const ids = Array.from({ length: 101 }, (_, index) => `${index}`);
    expect(faultsOf(() => parseNewWebhook({ ...INPUT, website_ids: ids }))).toEqual(['website_ids too_many']);
  });
});

describe('a changed webhook', () => {
  it('keeps what is not sent, and is unmodified by changes to the same', () => {
    const webhook = made();
    expect(change(webhook, {})).toBe(webhook);
    expect(change(webhook, { ...INPUT, format: 'json', is_active: true, website_ids: null })).toBe(webhook);
    expect(change(webhook, { is_active: false })).toEqual({
      ...webhook,
      isActive: false,
      updatedAt: new Date(NOW.getTime() + 1),
    });
  });

  it('keeps the URL of a chat service where the shown one is sent back', () => {
    const webhook = made({ ...INPUT, url: 'https://hooks.slack.com/services/T/B/x', format: 'slack' });
    expect(shownUrl(webhook, 'write')).toBe('https://hooks.slack.com/…');
    expect(change(webhook, { url: 'https://hooks.slack.com/…' })).toBe(webhook);
  });

  it('keeps the URL where the one that a key of scope read is shown is sent back', () => {
    const webhook = made({ ...INPUT, url: 'https://hooks.example/catch/TOKEN/' });
    expect([shownUrl(webhook, 'write'), shownUrl(webhook, 'read')]).toEqual([webhook.url, 'https://hooks.example/…']);
    expect(change(webhook, { url: 'https://hooks.example/…' })).toBe(webhook);
  });

  it('has faults whatever is stored, all at once', () => {
    const input = { url: 'ftp://a.example', format: 'slack', events: [], website_ids: [] } as const;
    expect(faultsOf(() => parseWebhookChanges(input))).toEqual([
      'url invalid_url',
      'events required',
      'website_ids required',
    ]);
  });

  it('needs the chat in a new URL of a Telegram bot, but not in the one that is shown', () => {
    const url = 'https://api.telegram.org/bot1:a/sendMessage';
    const webhook = made({ ...INPUT, url: `${url}?chat_id=7`, format: 'telegram' });
    expect(faultsOf(() => change(webhook, { url, format: 'slack' }))).toEqual([
      'url invalid_url',
      'format not_allowed',
    ]);
    expect(change(webhook, { url: 'https://api.telegram.org/…' })).toBe(webhook);
  });

  it('cannot change its format, which would show the URL of a chat service', () => {
    expect(faultsOf(() => change(made({ ...INPUT, format: 'slack' }), { format: 'json' }))).toEqual([
      'format not_allowed',
    ]);
  });

  it('forgets its failures when it is turned on, and with another URL', () => {
    const failing = { ...made(), failingSince: NOW };
    const off = { ...failing, isActive: false };
    expect(change(off, { is_active: true })).toMatchObject({ isActive: true, failingSince: null });
    expect(change(failing, { url: 'https://other.example' }).failingSince).toBeNull();
    expect(change(failing, { ...INPUT, events: ['report.ready'] }).failingSince).toEqual(NOW);
  });
});
