import { NO_IMPORT_COUNTS } from '@hitherto/domain/imports';
import type { WebhookEvent, WebhookEventData } from '@hitherto/domain/webhooks';
import { DEFAULT_SETTINGS } from '@hitherto/domain/websites';
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
  hours: null,
  subject: null,
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
          report: 0,
          exclude_bots: 1,
          exclude_params: null,
          page_rules: null,
          exclude_ips: null,
          time_zone: null,
          aliases: null,
          embed_origins: null,
          label: null,
          language: null,
          engagement: 0,
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
      mrkdwn: false,
      unfurl_links: false,
      unfurl_media: false,
    });
    expect(bodyOf(UPDATED, 'mattermost').text).toContain('<\u200b!channel>&@\u200bhere');
    expect(bodyOf(UPDATED, 'discord')).toEqual({
      content: expect.stringContaining('was changed'),
      allowed_mentions: { parse: [] },
      flags: 4,
    });
  });

  it('goes to the chat that the URL of a Telegram bot names', () => {
    const message = writeWebhookMessage(
      UPDATED,
      'telegram',
      'https://api.telegram.org/bot1:a/sendMessage?chat_id=-7&a=b',
    );

    expect(message.url).toBe('https://api.telegram.org/bot1:a/sendMessage?a=b');
    expect(JSON.parse(message.body)).toEqual({
      chat_id: '-7',
      text: expect.stringContaining('was changed'),
      link_preview_options: { is_disabled: true },
    });
  });

  it('has of an alert the sentences, the top sources and pages, and the link', () => {
    const event: WebhookEvent = { type: 'alert.fired', at, data: { website, alert: ALERT } };

    expect(bodyOf(event, 'discord').content).toBe(
      [ALERT.text, 'Top sources: Direct (7)', String.raw`Top pages: /\<a\> (9)`, ALERT.pageUrl].join('\n'),
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

describe('a value from outside', () => {
  const HOSTILE = [
    '[Sign in again](https://evil.example)',
    '/[invoice.pdf](https://evil.example/x)',
    '![](https://evil.example/p.png)',
    'https://evil.example/a?b=c',
    'www.evil.example',
    'WWW2.evil.example/a',
    'evil.example/a.b/c',
    'mailto:a@evil.example',
    'discord.gg/abc',
    '<https://evil.example>',
    '<a@evil.example>',
    '<!here> <@123> <#456> <t:1> </a:1> <id:home> <3',
    '@here @everyone @channel',
    '#hashtag ~town-square :smile: $e=mc^2$',
    '*a* **b** _c_ __d__ ~~e~~ ||f|| `g` ``h``',
    '```js\n[x](https://evil.example)\n```',
    '\\[x](https://evil.example)',
    '\\\\[x\\\\](https\\://evil.example)',
    '&#91;x&#93;&lt;b&gt;&amp;',
    'a\n# b\r\n> c\u2028- d\t1. e',
    'a\u202eb\u0000c\u001b[31md\ud800',
  ];
  const EVENTS: readonly ((value: string) => WebhookEvent)[] = [
    (value) => alertOf({ sources: [{ value, visitors: 1 }] }),
    (value) => alertOf({ pages: [{ value, visitors: 1 }] }),
    (value) => alertOf({ text: `é.example has had 3 conversions of “${value}” today.` }),
    (detail) => {
      const problem = { code: 'invalid_file', detail } as const;
      return { type: 'import.finished', at, data: { website, import: { ...done, status: 'failed', problem } } };
    },
  ];
  const alertOf = (alert: Partial<typeof ALERT>): WebhookEvent => ({
    type: 'alert.fired',
    at,
    data: { website, alert: { ...ALERT, sources: [], pages: [], ...alert } },
  });
  /** On one line, without what could harm. */
  const typed = (value: string) => value.replace(/[\p{Cc}\p{Cs}\u2028\u202e]/gu, '\ufffd');
  /** The text without what a service shows as it is: escaped characters, and entities. */
  const unescaped = (text: string) => text.replace(/\\[^0-9A-Za-z\s]|&#\d+;/g, '□');

  it.each(HOSTILE)('is shown by Discord as it was typed: %j', (value) => {
    for (const eventOf of EVENTS) {
      const { content } = bodyOf(eventOf(value), 'discord');

      expect(content.replace(/\\([^0-9A-Za-z\s])/g, '$1')).toContain(typed(value));
      const markup = unescaped(content.replace(ALERT.pageUrl ?? '', '').replaceAll(website.url, ''));
      expect(markup).not.toMatch(/[[\]<>`*_~|#@]|:\S|\bwww\d*\.|\.\p{L}+\//iu);
    }
  });

  it.each(HOSTILE)('is shown by Mattermost as it was typed: %j', (value) => {
    for (const eventOf of EVENTS) {
      const { text } = bodyOf(eventOf(value), 'mattermost');

      const shown = text.replace(/\\([\\`*{}[\]()#+.!_>~|-])/g, '$1').replaceAll('\u200b', '');
      const entities = /&#(\d+);/g;
      expect(shown.replace(entities, (_: string, code: string) => String.fromCharCode(Number(code)))).toContain(
        typed(value),
      );
      const own = 'https://é.example/<\u200b!channel>&@\u200bhere';
      const markup = unescaped(text.replace(ALERT.pageUrl ?? '', '').replace(own, ''));
      expect(markup).not.toMatch(/[[\]<>&`*_~|#$]|@(?!\u200b)|:\S|\bwww\d*\.|\.\p{L}+\//iu);
    }
  });

  it.each(HOSTILE)('is no link and no mention for Slack and Telegram: %j', (value) => {
    for (const eventOf of EVENTS) {
      const slack: string = bodyOf(eventOf(value), 'slack').text;
      const telegram: string = bodyOf(eventOf(value), 'telegram', `${URL}?chat_id=1`).text;

      const own = ALERT.pageUrl ?? '';
      const shown = slack.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
      expect(slack).not.toMatch(/[<>]/);
      for (const text of [shown, telegram]) {
        expect(text.replaceAll('\u200b', '')).toContain(typed(value));
        expect(text.replace(own, '').replace(website.url, '')).not.toMatch(/[@#](?!\u200b)|:[^\s\u200b]|\.\p{L}/u);
      }
    }
  });

  it.each(HOSTILE)('is the value itself in JSON: %j', (value) => {
    const [sources, pages, text] = EVENTS.map((eventOf) => bodyOf(eventOf(value), 'json').data.alert);

    expect(sources.sources).toEqual([{ value, visitors: 1 }]);
    expect(pages.pages).toEqual([{ value, visitors: 1 }]);
    expect(text.text).toContain(value);
  });

  it('leaves our own link a link', () => {
    for (const format of ['slack', 'discord', 'mattermost', 'telegram'] as const) {
      expect(writeWebhookMessage(alertOf({}), format, URL).body).toContain(ALERT.pageUrl);
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

  expect(textOf(done)).toBe('Import into https://a.example finished: 1,200 hits.');
  expect(textOf({ ...done, status: 'failed', problem })).toBe(
    'Import into https://a.example failed. Send the file again.',
  );
});
