import { AliasTaken, compareBytes, DomainError, UrlTaken } from '@hitherto/domain/base';
import { addressOf, pageOf, type Website, type WebsiteRepository } from '@hitherto/domain/websites';
import { audit } from './audit-trail.ts';
import { forgetFindings } from './findings.ts';
import { earlierRecord, keepRecord } from './idempotency-repository.ts';
import { forgetMoved } from './moved-websites.ts';
import { countLockChange } from './page-locks.ts';
import { forgetReports, noteReports } from './reports/outbox.ts';
import { forgetResources, moveResources } from './resources/owned.ts';
import { type AccountState, hasWebsite, type State, tellOfChange } from './state.ts';
import { deliver } from './webhooks/deliveries.ts';
import { hostOfAddress, websitesIn } from './website-directory.ts';

/** Stores websites in `state`. Each method does its work in one turn of the event loop, and so is atomic. */
export function createWebsiteRepository(state: State): WebsiteRepository {
  return {
    async find(reach, id) {
      return structuredClone(websitesIn(state, reach).find((website) => website.id === id));
    },

    async list(reach, { search = '', order }, limit, position) {
      return pageOf(websitesIn(state, reach), search, { order, limit, position });
    },

    async names(reach, limit) {
      const sorted = websitesIn(state, reach).sort((a, b) => compareBytes(addressOf(a.url), addressOf(b.url)));
      return sorted.slice(0, limit).map(({ id, url, timeZone, label }) => ({ id, url, timeZone, label }));
    },

    async insert(accountId, website, change) {
      const account = state.accounts.get(accountId);
      if (account === undefined) throw new DomainError('not_found', 'The account is gone.');
      const earlier = change.record && earlierRecord(account, change.record, website.createdAt);
      if (earlier !== undefined) return earlier;
      const address = addressOf(website.url);
      rejectTaken(account, address, website.id);
      if (hasWebsite(state, website.id)) throw new DomainError('id_taken', 'There is already a website with this id.');
      rejectTakenAliases(state, website);
      account.websites.set(website.id, structuredClone(website));
      account.idsByAddress.set(address, website.id);
      noteNames(state, undefined, website);
      noteReports(state, undefined, website);
      if (change.record !== undefined) keepRecord(account, change.record);
      audit(state, change);
      deliver(state, change.event);
      return undefined;
    },

    async replace(accountId, website, expected, change) {
      const account = state.accounts.get(accountId);
      const current = account?.websites.get(website.id);
      if (account === undefined || current?.updatedAt.getTime() !== expected.getTime()) return false;
      const address = addressOf(website.url);
      rejectTaken(account, address, website.id);
      rejectTakenAliases(state, website);
      account.idsByAddress.delete(addressOf(current.url));
      account.idsByAddress.set(address, website.id);
      account.websites.set(website.id, structuredClone(website));
      noteNames(state, current, website);
      countLockChange(state, current, website);
      noteReports(state, current, website);
      audit(state, change);
      deliver(state, change.event);
      tellOfChange(state, website.id);
      return true;
    },

    async move(from, id, to, { left, arrived }) {
      const [account, other] = [state.accounts.get(from), state.accounts.get(to)];
      const website = account?.websites.get(id);
      if (account === undefined || website === undefined) return false;
      if (other === undefined) throw new DomainError('not_found', 'The account is gone.');
      const address = addressOf(website.url);
      rejectTaken(other, address, id);
      account.websites.delete(id);
      account.idsByAddress.delete(address);
      other.websites.set(id, website);
      other.idsByAddress.set(address, id);
      for (const change of [left, arrived]) {
        audit(state, change);
        deliver(state, change.event);
      }
      moveResources(state, id, to);
      forgetMoved(state, from, id);
      tellOfChange(state, id);
      return true;
    },

    async delete(accountId, id, expected, change) {
      const account = state.accounts.get(accountId);
      const current = account?.websites.get(id);
      if (account === undefined || current === undefined) return false;
      if (expected !== undefined && current.updatedAt.getTime() !== expected.getTime()) return false;
      account.idsByAddress.delete(addressOf(current.url));
      account.websites.delete(id);
      state.namedSince.delete(id);
      forgetResources(state, ({ websiteId }) => websiteId === id);
      forgetReports(state, id);
      forgetFindings(state, id);
      state.coverages.delete(id);
      state.deletedWebsites.add(id);
      audit(state, change);
      deliver(state, change.event);
      tellOfChange(state, id);
      return true;
    },
  };
}

/** Notes since when the website has its names; names that it had before keep their number. */
function noteNames(state: State, before: Website | undefined, website: Website): void {
  state.namings += 1;
  const { namedSince, namings: now } = state;
  const known = namedSince.get(website.id);
  const keeps = (nameOf: (address: string) => string) =>
    before !== undefined && nameOf(withoutWww(before.url)) === nameOf(withoutWww(website.url));
  namedSince.set(website.id, {
    address: keeps((address) => address) ? (known?.address ?? now) : now,
    host: keeps(hostOfAddress) ? (known?.host ?? now) : now,
    aliases: new Map(website.aliases.map((alias) => [alias, known?.aliases.get(alias) ?? now])),
  });
}

function withoutWww(url: string): string {
  return addressOf(url).replace(/^www\./, '');
}

function rejectTaken(account: AccountState, address: string, id: string): void {
  const existingId = account.idsByAddress.get(address);
  if (existingId !== undefined && existingId !== id) throw new UrlTaken(existingId);
}

function rejectTakenAliases({ accounts }: State, { id, aliases }: Website): void {
  if (aliases.length === 0) return;
  const others = [...accounts.values()]
    .flatMap(({ websites }) => [...websites.values()])
    .filter((each) => each.id !== id);
  const taken = aliases.findIndex((alias) => others.some((other) => other.aliases.includes(alias)));
  if (taken !== -1) throw new AliasTaken(taken + 1);
}
