import type { WebsiteJson } from '@hitherto/testing/website-json';
import { describe, expect, test } from 'vitest';
import { checkRegister, type Observed } from './register.ts';

const stored: WebsiteJson = {
  id: '01997c3e-0000-7000-8000-000000000001',
  url: 'https://a.example',
  privacy: 1,
  has_password: false,
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
  created_at: '2026-01-01T00:00:00.001Z',
  updated_at: '2026-01-01T00:00:00.001Z',
};
const mailed: WebsiteJson = { ...stored, email: 1, updated_at: '2026-01-01T00:00:00.002Z' };
const both: WebsiteJson = { ...mailed, exclude_bots: 0, updated_at: '2026-01-01T00:00:00.003Z' };
const lost: WebsiteJson = { ...both, email: 0 };

const create: Observed = { kind: 'create', start: 0, end: 1, status: 201, website: stored };
const mail: Observed = { kind: 'update', start: 2, end: 5, status: 200, website: mailed, changes: { email: 1 } };
const bots: Observed = { kind: 'update', start: 3, end: 6, status: 200, website: both, changes: { exclude_bots: 0 } };
const read = (website: WebsiteJson | undefined, start: number, end: number): Observed => ({
  kind: 'read',
  start,
  end,
  status: website === undefined ? 404 : 200,
  website,
});
const deletion: Observed = { kind: 'delete', start: 7, end: 8, status: 204 };

describe('what was observed of one website', () => {
  test('passes if it is consistent with one website changed by one request at a time', () => {
    for (const seen of [
      [create, mail, bots],
      [create, mail, bots, read(stored, 2, 4), read(both, 6.5, 7)],
      [create, mail, bots, deletion, read(both, 7, 9), read(undefined, 9, 10)],
    ]) {
      expect(() => checkRegister(seen)).not.toThrow();
    }
  });

  test.each([
    ['a lost update', [create, mail, { ...bots, website: lost }]],
    ['a stale response', [create, mail, bots, read(stored, 6.5, 7)]],
    ['one version with two contents', [create, mail, bots, read({ ...both, privacy: 0 }, 6.5, 7)]],
    ['back again', [create, deletion, read(stored, 9, 10)]],
    ['gone, and nobody deleted it', [create, read(undefined, 2, 3)]],
    ['deleted twice', [create, deletion, { ...deletion, start: 9, end: 10 }]],
  ])('is rejected with %s', (fault, seen) => {
    expect(() => checkRegister(seen)).toThrow(fault);
  });
});
