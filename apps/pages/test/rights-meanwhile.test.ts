import { setTimeout as sleep } from 'node:timers/promises';
import { createInMemoryRepositories } from '@hitherto/memory';
import { expect, test } from 'vitest';
import { signIn } from './support/owner.ts';
import { startPagesForTest } from './support/pages.ts';

// Rights hold for a second (people.md, "Roles"): also for a page that takes longer.

async function start() {
  const waiting: (() => void)[] = [];
  const { annotations } = createInMemoryRepositories();
  const list = async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return [];
  };
  const pages = await startPagesForTest({ annotations: { ...annotations, list } });
  const { id } = await pages.addWebsite({ url: 'https://secret.example', privacy: 'private' });
  const { cookies } = await signIn(pages);
  const slowly = async (meanwhile: () => Promise<void>) => {
    const response = pages.send('GET', `/statistics/${id}`, { cookies });
    while (waiting.length === 0) await sleep(5);
    await meanwhile();
    await sleep(1_000);
    for (const go of waiting) go();
    return response;
  };
  return { pages, slowly };
}

test('somebody whose rights end while a page is made does not see it', async () => {
  const { pages, slowly } = await start();

  const { status, text, headers } = await slowly(() => pages.revokeKeys(pages.accountId));

  expect([status, headers['retry-after'], headers['cache-control']]).toEqual([503, '1', 'no-store']);
  expect(text).toContain('Your rights have changed meanwhile');
  expect(text).not.toContain('secret.example');
});

test('a slow page is sent to somebody whose rights stay', async () => {
  const { slowly } = await start();

  const { status, text } = await slowly(async () => {});

  expect([status, text.includes('secret.example')]).toEqual([200, true]);
});
