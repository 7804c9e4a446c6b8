import { randomBytes } from 'node:crypto';
import { COMMAND_LINE } from '@hitherto/domain/changes';
import { createLink, LINK, type LinkInput, parseNewLink } from '@hitherto/domain/links';
import { deleteResource } from '@hitherto/domain/resources';
import type { Website } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import type { PagesUnderTest } from './pages.ts';

/** Creates a shared link to the statistics of a website. */
export async function share(pages: PagesUnderTest, website: Website, input: LinkInput = {}) {
  const { repositories, clock, accountId } = pages;
  const deps = { ...repositories, passwords: quickHasher, now: clock.now, newId, randomBytes, author: COMMAND_LINE };
  const key = { accountId, websiteId: website.id };
  const { link, token } = await createLink(deps, key, parseNewLink({ name: 'é', ...input }, clock.now()));
  return { token, path: `/share/${token}`, revoke: () => deleteResource(deps, LINK, key, link.id) };
}

/** The path of a new shared link. */
export async function shareLink(pages: PagesUnderTest, website: Website, input?: LinkInput): Promise<string> {
  return (await share(pages, website, input)).path;
}
