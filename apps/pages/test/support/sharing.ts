import { randomBytes } from 'node:crypto';
import { changeBrand } from '@hitherto/domain/access';
import { COMMAND_LINE } from '@hitherto/domain/changes';
import { createLink, LINK, type LinkInput, parseNewLink } from '@hitherto/domain/links';
import { RECIPIENT } from '@hitherto/domain/recipients';
import { confirmRecipient, confirmToken, unsubscribeToken } from '@hitherto/domain/reports';
import { createResource, deleteResource, showResource } from '@hitherto/domain/resources';
import type { Website } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { AN_SVG } from '@hitherto/testing/pictures';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import { CONFIRM, unsubscribePath } from '../../src/shared/paths.ts';
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

/** Recipients in each state, and the pages that their mails lead to. */
export async function addRecipients({ repositories, clock, accountId }: PagesUnderTest, { id: websiteId }: Website) {
  const deps = { ...repositories, now: clock.now, newId, randomBytes, author: COMMAND_LINE };
  const owner = { accountId, websiteId };
  const add = (email: string) => createResource(deps, RECIPIENT, owner, { email });
  const one = await add(`${'long-name.'.repeat(6)}x@example.com`);
  const two = await add('client@example.com');
  await repositories.recipients.ask(clock.now());
  await add('later@example.com');
  const linkOf = async (id: string) => {
    const token = await confirmToken(deps, await showResource(deps, RECIPIENT, owner, id));
    return { token, path: `${CONFIRM}/${token}` };
  };
  const [asked, confirmed] = [await linkOf(one.id), await linkOf(two.id)];
  await confirmRecipient(deps, confirmed.token, { requestId: null, network: null });
  const stopping = await unsubscribeToken(deps, websiteId, { kind: 'weekly', recipientId: two.id });
  return { asked: asked.path, confirmed: confirmed.path, leaving: unsubscribePath(websiteId, stopping) };
}
