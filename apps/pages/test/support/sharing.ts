import { randomBytes } from 'node:crypto';
import { changeBrand } from '@hitherto/domain/access';
import { COMMAND_LINE } from '@hitherto/domain/changes';
import { createLink, LINK, type LinkInput, parseNewLink } from '@hitherto/domain/links';
import { deleteResource } from '@hitherto/domain/resources';
import type { Website } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { AN_SVG } from '@hitherto/testing/pictures';
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

/** Gives an account a name, a logo and an accent. */
export async function giveBrand({ repositories, clock }: PagesUnderTest, accountId: string): Promise<void> {
  const deps = { ...repositories, now: clock.now, newId, author: COMMAND_LINE };
  const logo = new TextEncoder().encode(AN_SVG);
  const faults = await changeBrand(deps, accountId, { name: 'Ægir & Söhne 🦊', accent: '#8b0000', logo });
  if (faults.length > 0) throw new Error('The brand has faults.');
}
