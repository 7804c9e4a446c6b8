import { randomBytes } from 'node:crypto';
import { authenticate, createAccount, issueKey, revokeKey } from '@hitherto/domain/access';
import { COMMAND_LINE } from '@hitherto/domain/changes';
import {
  createWebsite,
  deleteWebsite,
  listWebsites,
  parseNewWebsite,
  parseWebsiteChanges,
  showWebsite,
  updateWebsite,
  type Website,
  wholeAccount,
} from '@hitherto/domain/websites';
import { createInMemoryRepositories } from '@hitherto/memory';
import { describe, expect, test } from 'vitest';

// Another application on the same domain, without HTTP: a visit collector that decides which visits count. It compiles
// and runs with @hitherto/domain and an adapter alone.

/** A collector that needs only the domain. */
function createCollector(repositories: ReturnType<typeof createInMemoryRepositories>, now: () => Date) {
  let count = 0;
  const deps = {
    ...repositories,
    now,
    newId: () => `01997c3e-0000-7000-8000-${(++count).toString(16).padStart(12, '0')}`,
    randomBytes,
    author: COMMAND_LINE,
    passwords: { hash: async (password: string) => `hash of ${password}`, verify: async () => true },
  };

  return {
    deps,
    /** Whether a visit is counted for a website. */
    counts: async (accountId: string, id: string, visit: { isBot: boolean; parameters: readonly string[] }) => {
      const website = await showWebsite(deps, wholeAccount(accountId), id);
      return !(website.excludeBots && visit.isBot) && !visit.parameters.some((name) => isExcluded(website, name));
    },
  };
}

function isExcluded({ excludedParams }: Website, name: string): boolean {
  return excludedParams.some((entry) => (entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : entry === name));
}

describe('another application that uses only the domain', () => {
  test('creates an account and a website, and counts visits by its settings', async () => {
    const { deps, counts } = createCollector(createInMemoryRepositories(), () => new Date('2026-11-20T12:00:00Z'));
    const account = await createAccount(deps, 'Ægir');
    const input = parseNewWebsite({ url: 'https://example.com/', excludedParams: ['utm_*', ' ref '] });

    const website = await createWebsite(deps, account.id, input);
    const before = await counts(account.id, website.id, { isBot: true, parameters: [] });
    await updateWebsite(deps, wholeAccount(account.id), website.id, parseWebsiteChanges({ excludeBots: false }));
    const after = await counts(account.id, website.id, { isBot: true, parameters: ['page'] });
    const tagged = await counts(account.id, website.id, { isBot: false, parameters: ['utm_source'] });

    expect(website).toMatchObject({ url: 'https://example.com', privacy: 'private', excludedParams: ['utm_*', 'ref'] });
    expect([before, after, tagged]).toEqual([false, true, false]);
  });

  test('gets error codes that do not depend on HTTP', async () => {
    const { deps } = createCollector(createInMemoryRepositories(), () => new Date('2026-11-20T12:00:00Z'));
    const account = await createAccount(deps, 'Ægir');
    const website = await createWebsite(deps, account.id, parseNewWebsite({ url: 'https://example.com' }));

    const twice = createWebsite(deps, account.id, parseNewWebsite({ url: 'http://example.com' }));
    const unknown = showWebsite(deps, wholeAccount('another account'), website.id);

    await expect(twice).rejects.toMatchObject({ code: 'url_taken', existingId: website.id });
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' });
    expect(() => parseNewWebsite({ url: 'nonsense', privacy: 'password' })).toThrow(
      expect.objectContaining({
        code: 'invalid_fields',
        faults: [
          expect.objectContaining({ field: 'url', code: 'invalid_url' }),
          expect.objectContaining({ field: 'password', code: 'password_required' }),
        ],
      }),
    );
  });

  test('issues, checks and revokes keys, lists and deletes websites', async () => {
    const { deps } = createCollector(createInMemoryRepositories(), () => new Date('2026-11-20T12:00:00Z'));
    const account = await createAccount(deps, 'Ægir');
    const { text, key } = await issueKey(deps, 'Ægir', { scope: 'read' });
    const website = await createWebsite(deps, account.id, parseNewWebsite({ url: 'https://example.com' }));

    const known = await authenticate(deps, text);
    await revokeKey(deps, key.id);
    const revoked = await authenticate(deps, text);
    const page = await listWebsites(deps, wholeAccount(account.id), { order: 'newest_first', search: 'EXAMPLE' }, 10);
    await deleteWebsite(deps, wholeAccount(account.id), website.id);
    const empty = await listWebsites(deps, wholeAccount(account.id), { order: 'newest_first' }, 10);

    expect([known?.accountId, known?.scope, revoked]).toEqual([account.id, 'read', undefined]);
    expect([page.websites, page.total, empty.total]).toEqual([[website], 1, 0]);
  });
});
