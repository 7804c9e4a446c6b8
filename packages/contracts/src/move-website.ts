import { type Author, COMMAND_LINE, UNRECORDED } from '@hitherto/domain/changes';
import { moveWebsite, wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { aCountedHit, aLink, anAnnotation, anApiKey, aWebsite } from '@hitherto/testing/fixtures';
import { aMember, anInvitation, aPerson } from '@hitherto/testing/people';
import { beforeEach, describe, expect, it } from 'vitest';
import { addAccount, type MakeRepositories, type TestRepositories } from './support/repositories.ts';
import { AT, anAlert, aWebhook } from './support/webhooks.ts';

/** The contract of `WebsiteRepository.move`. */
export function moveWebsiteContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let from: string;
  let to: string;
  const website = aWebsite({ id: newId() });
  const { id } = website;

  beforeEach(async () => {
    repositories = await makeRepositories();
    [from, to] = [await addAccount(repositories), await addAccount(repositories)];
    await repositories.websites.insert(from, website, UNRECORDED);
  });

  const move = (author: Author = COMMAND_LINE, target = to) =>
    moveWebsite({ ...repositories, now: () => AT, newId, author }, wholeAccount(from), id, target);

  it('moves the website with everything that belongs to it', async () => {
    const key = { accountId: from, websiteId: id };
    const [annotation, alert, link] = [anAnnotation({ id: newId() }), anAlert(), aLink({ id: newId() })];
    await repositories.annotations.insert(key, annotation, UNRECORDED);
    await repositories.alerts.insert(key, alert, UNRECORDED);
    await repositories.links.insert(key, link, UNRECORDED);

    await move();

    const moved = { accountId: to, websiteId: id };
    expect(await repositories.websites.find(wholeAccount(from), id)).toBeUndefined();
    expect(await repositories.websites.find(wholeAccount(to), id)).toStrictEqual(website);
    expect(await repositories.directory.findById(id)).toStrictEqual({ accountId: to, website });
    expect(await repositories.annotations.list(moved)).toStrictEqual([annotation]);
    expect(await repositories.alerts.list(moved)).toStrictEqual([alert]);
    expect(await repositories.links.list(moved)).toStrictEqual([link]);
    expect(await repositories.links.findByToken(link.tokenHash)).toMatchObject({ accountId: to });
    for (const kind of [repositories.annotations, repositories.alerts, repositories.links]) {
      expect(await kind.list(key)).toBeUndefined();
    }
  });

  it('leaves every number as it was, and counts on', async () => {
    const day = '2026-11-19';
    const hitOf = (visitor: bigint) => aCountedHit({ websiteId: id, visitor, day, time: new Date(`${day}T10:00:00Z`) });
    const query = { websiteId: id, from: day, to: day, filters: [] };
    const read = () =>
      Promise.all([repositories.statistics.totals(query), repositories.statistics.values(query, 'page', 10)]);
    await repositories.hits.add([hitOf(1n), hitOf(1n), hitOf(2n)]);
    const before = await read();

    await move();

    expect(before[0]).toMatchObject({ visitors: 2, pageviews: 3 });
    expect(await read()).toStrictEqual(before);
    await repositories.hits.add([hitOf(3n)]);
    expect((await read())[0]).toMatchObject({ visitors: 3, pageviews: 4 });
  });

  it('makes keys, members, invitations and webhooks of the first account forget it, also when it comes back', async () => {
    const person = aPerson();
    const kept = newId();
    const invitation = anInvitation({ accountId: from, email: person.email, websiteIds: [id] });
    await repositories.people.insertInvitation(invitation, UNRECORDED);
    const member = aMember({ accountId: from, personId: person.id, websiteIds: [id] });
    await repositories.people.acceptInvitation(invitation.tokenHash, person, member, UNRECORDED);
    const open = anInvitation({ accountId: from, websiteIds: [kept, id] });
    await repositories.people.insertInvitation(open, UNRECORDED);
    const keys = [[id], [kept, id], null].map((limitedTo) => anApiKey({ id: newId(), accountId: from, limitedTo }));
    for (const key of keys) await repositories.access.insertKey(key, UNRECORDED);
    const webhooks = [[id], [kept, id], null].map((websiteIds) => aWebhook({ id: newId(), websiteIds }));
    for (const webhook of webhooks) await repositories.webhooks.insert({ accountId: from }, webhook, UNRECORDED);

    await move();
    await moveWebsite({ ...repositories, now: () => AT, newId, author: COMMAND_LINE }, wholeAccount(to), id, from);

    const [left] = await repositories.people.membershipsOf(person.id);
    expect(left?.websiteIds).toEqual([]);
    expect(left?.updatedAt.getTime()).toBeGreaterThan(member.updatedAt.getTime());
    expect((await repositories.people.listInvitations(from)).map(({ websiteIds }) => websiteIds)).toEqual([[kept]]);
    const limits = new Map((await repositories.access.listKeys(from)).map((key) => [key.id, key.limitedTo]));
    expect(keys.map((key) => limits.get(key.id))).toEqual([[], [kept], null]);
    const stored = new Map(
      ((await repositories.webhooks.list({ accountId: from })) ?? []).map((each) => [each.id, each]),
    );
    expect(webhooks.map((each) => stored.get(each.id)?.websiteIds)).toEqual([[], [kept], null]);
    expect(webhooks.map((each) => stored.get(each.id)?.isActive)).toEqual([false, true, true]);
  });

  it('is in the trail of both accounts, and for webhooks deleted in the one and created in the other', async () => {
    const [old, young] = [aWebhook({ id: newId(), websiteIds: [id] }), aWebhook({ id: newId() })];
    await repositories.webhooks.insert({ accountId: from }, old, UNRECORDED);
    await repositories.webhooks.insert({ accountId: to }, young, UNRECORDED);

    await move();

    for (const accountId of [from, to]) {
      const { entries } = await repositories.audit.list(wholeAccount(accountId), {}, 10);
      expect(entries).toMatchObject([{ action: 'website.moved', websiteId: id, changes: [] }]);
    }
    const told = async (accountId: string, webhookId: string) =>
      (await repositories.webhookOutbox.list(accountId, webhookId, 10)).map(({ event }) => event.type);
    expect(await told(from, old.id)).toEqual(['website.deleted']);
    expect(await told(to, young.id)).toEqual(['website.created']);
  });

  describe('is rejected, and changes nothing,', () => {
    it('where the other account has the address', async () => {
      const taken = aWebsite({ id: newId(), aliases: [] });
      await repositories.websites.insert(to, taken, UNRECORDED);

      await expect(move()).rejects.toMatchObject({ code: 'url_taken', existingId: taken.id });
      expect(await repositories.websites.find(wholeAccount(from), id)).toStrictEqual(website);
      expect((await repositories.audit.list(wholeAccount(from), {}, 10)).entries).toEqual([]);
    });

    it('to an account that there is not, or of a website that there is not', async () => {
      await expect(move(COMMAND_LINE, newId())).rejects.toMatchObject({ code: 'not_found' });
      await move();
      await expect(move()).rejects.toMatchObject({ code: 'not_found' });
      expect(await repositories.websites.find(wholeAccount(to), id)).toStrictEqual(website);
    });
  });
}
