import { describe, expect, it } from 'vitest';
import { type AlertMail, readAlertMail } from '../src/alerts/alert-mail.ts';

const MAIL: AlertMail = {
  accountId: '0198c0de-0000-7000-8000-000000000001',
  at: '2026-07-01T12:00:00.000Z',
  website: { id: '0198c0de-0000-7000-8000-000000000002', url: 'https://bücher.example' },
  alert: {
    id: '0198c0de-0000-7000-8000-000000000003',
    rule: 'spike',
    text: 'bücher.example has 12 visitors right now.',
    number: 12,
    usual: null,
    hours: 24,
    subject: null,
    sources: [{ value: null, visitors: 12 }],
    pages: [{ value: '/café 𝒂', visitors: 12 }],
    pageUrl: null,
  },
};

describe('readAlertMail', () => {
  it('reads what was stored with the task', () => {
    expect(readAlertMail(JSON.parse(JSON.stringify(MAIL)))).toEqual(MAIL);
  });

  it.each([
    undefined,
    null,
    'text',
    {},
    { ...MAIL, at: 5 },
    { ...MAIL, website: { id: MAIL.website.id } },
    { ...MAIL, alert: { ...MAIL.alert, rule: 'unknown' } },
    { ...MAIL, alert: { ...MAIL.alert, pages: [{ value: '/' }] } },
    { ...MAIL, alert: { ...MAIL.alert, sources: null } },
  ])('finds no mail in %j', (payload) => {
    expect(readAlertMail(payload)).toBeUndefined();
  });
});
