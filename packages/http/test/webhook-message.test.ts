import { DEFAULT_SETTINGS, NO_IMPORT_COUNTS, type WebhookEvent, type WebhookEventData } from '@hitherto/domain';
import { describe, expect, it } from 'vitest';
import { writeWebhookMessage } from '../src/index.ts';

const at = new Date('2026-11-20T12:00:00.123Z');
const URL = 'https://hooks.example/';
const website = { id: 'id', url: 'https://é.example/<!channel>&@here' };
const UPDATED: WebhookEvent = {
  type: 'website.updated',
  at,
  data: {
    website: {
      ...DEFAULT_SETTINGS,
      ...website,
      hasPassword: true,
      createdAt: at.toISOString(),
      updatedAt: at.toISOString(),
    },
    changes: [{ field: 'excludedIps', added: ['203.0.113.7'], removed: [] }],
  },
};

const ALERT: WebhookEventData['alert.fired']['alert'] = {
  id: 'id',
  rule: 'spike',
  text: 'é.example has 60 visitors right now.',
  number: 60,
  usual: 12,
  sources: [{ value: null, visitors: 7 }],
  pages: [{ value: '/<a>', visitors: 9 }],
  pageUrl: 'https://stats.example/statistics/id',
};

const bodyOf = (event: WebhookEvent, format: Parameters<typeof writeWebhookMessage>[1], url = URL) =>
  JSON.parse(writeWebhookMessage(event, format, url).body);

describe('the message of an event', () => {
  it('has type, timestamp and data in the words of the API', () => {
    expect(bodyOf(UPDATED, 'json')).toEqual({
      type: 'website.updated',
      timestamp: at.toISOString(),
      data: {
        website: {
          ...website,
          privacy: 1,
          email: 0,
          exclude_bots: 1,
          exclude_params: null,
          exclude_ips: null,
          time_zone: null,
          aliases: null,
          embed_origins: null,
          has_password: true,
          created_at: at.toISOString(),
          updated_at: at.toISOString(),
        },
        changes: [{ field: 'exclude_ips', added: ['203.0.113.7'], removed: [] }],
      },
    });
    const week = { name: '2026-W47', from: '2026-11-16', to: '2026-11-22' };
    expect(bodyOf({ type: 'report.ready', at, data: { website, week } }, 'json').data).toEqual({ website, week });
  });

  it('is a sentence for chat services, without mentions', () => {
    expect(bodyOf(UPDATED, 'slack')).toEqual({
      text: 'The website https://é.example/&lt;!channel&gt;&amp;@here was changed: exclude_ips.',
    });
    expect(bodyOf(UPDATED, 'mattermost').text).toContain('<\u200b!channel>&@\u200bhere');
    expect(bodyOf(UPDATED, 'discord')).toEqual({
      content: expect.stringContaining('was changed'),
      allowed_mentions: { parse: [] },
    });
  });

  it('goes to the chat that the URL of a Telegram bot names', () => {
    const message = writeWebhookMessage(
      UPDATED,
      'telegram',
      'https://api.telegram.org/bot1:a/sendMessage?chat_id=-7&a=b',
    );

    expect(message.url).toBe('https://api.telegram.org/bot1:a/sendMessage?a=b');
    expect(JSON.parse(message.body)).toMatchObject({ chat_id: '-7', text: expect.stringContaining('was changed') });
  });

  it('has of an alert the sentences, the top sources and pages, and the link', () => {
    const event: WebhookEvent = { type: 'alert.fired', at, data: { website, alert: ALERT } };

    expect(bodyOf(event, 'discord').content).toBe(
      [ALERT.text, 'Top sources: Direct (7)', 'Top pages: /<a> (9)', ALERT.pageUrl].join('\n'),
    );
    expect(bodyOf(event, 'json').data.alert).toMatchObject({ rule: 'spike', usual: 12, page_url: ALERT.pageUrl });
  });

  it.each([
    ['discord', 2_000, 'content'],
    ['telegram', 4_096, 'text'],
  ] as const)('is cut between characters to what %s takes', (format, length, field) => {
    for (const start of ['', 'é']) {
      const text = start + '🦊'.repeat(3_000);
      const sent = bodyOf({ type: 'alert.fired', at, data: { website, alert: { ...ALERT, text } } }, format)[field];

      expect(sent.length).toBeLessThanOrEqual(length);
      expect(sent.isWellFormed()).toBe(true);
    }
  });
});

const times = { id: 'id', format: 'umami', createdAt: at.toISOString() } as const;
const done = { ...NO_IMPORT_COUNTS, ...times, status: 'done', problem: null, hits: 1_200 } as const;

it('has of an import the fields of the API', () => {
  const problem = { code: 'import_overlap', detail: 'é', existingId: 'other' } as const;
  const importOf = (ended: WebhookEventData['import.finished']['import']) =>
    bodyOf({ type: 'import.finished', at, data: { website, import: ended } }, 'json').data.import;
  const { createdAt: created_at, ...fields } = done;

  expect(importOf(done)).toEqual({ ...fields, waits: false, created_at });
  expect(importOf({ ...done, status: 'failed', problem })).toMatchObject({
    waits: false,
    problem: { code: 'import_overlap', detail: 'é', existing_id: 'other' },
  });
});

it('says of an import whether it has failed, and why', () => {
  const problem = { code: 'interrupted', detail: 'Send the file again.' } as const;
  const site = { id: 'id', url: 'https://a.example' };
  const textOf = (ended: WebhookEventData['import.finished']['import']) =>
    bodyOf({ type: 'import.finished', at, data: { website: site, import: ended } }, 'slack').text;

  expect(textOf(done)).toBe('An import to https://a.example has finished: 1,200 hits.');
  expect(textOf({ ...done, status: 'failed', problem })).toBe(
    'An import to https://a.example has failed. Send the file again.',
  );
});
