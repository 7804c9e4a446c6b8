import {
  DomainError,
  ItemRejected,
  NEW_STATE,
  NO_COUNTS,
  rejectionCodeOf,
  type SealedWebhook,
  type Transfer,
  type TransferItem,
  type Webhook,
} from '@hitherto/domain';
import { createSeal } from '../seal.ts';
import { createAccessRepository } from './access-repository.ts';
import { createAlertRepository } from './alert-repository.ts';
import { createAnnotationRepository } from './annotation-repository.ts';
import { createDefinitionRepository } from './definition-repository.ts';
import { createLinkRepository } from './link-repository.ts';
import { emptyState, type State } from './state.ts';
import { createWebhookRepository } from './webhooks/webhook-repository.ts';
import { createWebsiteRepository } from './website-repository.ts';

/** All installations in memory have the same key. */
const SEAL = createSeal(() => new Uint8Array(32));

/** Exports `state`, or imports into an empty one. */
export function createTransfer(state: State): Transfer {
  return {
    async *exportAll() {
      // A snapshot, taken in one turn of the event loop.
      yield* structuredClone(itemsOf(state));
    },

    async importAll(items) {
      rejectFilled(state);
      // Built separately first: if a record fails, nothing is imported.
      const taken = emptyState();
      const access = createAccessRepository(taken);
      const websites = createWebsiteRepository(taken);
      const definitions = createDefinitionRepository(taken);
      const links = createLinkRepository(taken);
      const annotations = createAnnotationRepository(taken);
      const alerts = createAlertRepository(taken);
      const webhooks = createWebhookRepository(taken);
      const insert = async (item: TransferItem): Promise<void> => {
        if (item.type === 'account') await access.insertAccount(item.account);
        else if (item.type === 'key') await access.insertKey(item.key);
        else if (item.type === 'website') await websites.insert(item.accountId, item.website);
        else if (item.type === 'link') {
          if (!(await links.insert(item, item.link))) throw new DomainError('not_found', 'The website is gone.');
        } else if (item.type === 'annotation') await annotations.insert(item, item.annotation);
        else if (item.type === 'alert') await alerts.insert(item, item.alert, NEW_STATE);
        else if (item.type === 'webhook') await webhooks.insert(item.accountId, opened(item.webhook));
        else await definitions.insert(item.type, item, item.definition);
      };
      const counts = { ...NO_COUNTS };
      let position = 0;
      for await (const item of items) {
        position += 1;
        await insert(item).catch((error: unknown) => {
          throw rejection(error, item, position);
        });
        counts[`${item.type}s`] += 1;
      }
      rejectFilled(state);
      state.accounts = taken.accounts;
      state.namedSince = taken.namedSince;
      state.keys = taken.keys;
      state.reportsSince = taken.reportsSince;
      return counts;
    },
  };
}

/** The error of an insert as the port reports it. */
function rejection(error: unknown, item: TransferItem, position: number): unknown {
  const code = error instanceof DomainError ? rejectionCodeOf(error) : undefined;
  return code === undefined ? error : new ItemRejected(code, item, position, { cause: error });
}

function itemsOf(state: State): TransferItem[] {
  const items: TransferItem[] = [];
  for (const { account } of state.accounts.values()) items.push({ type: 'account', account });
  for (const key of state.keys.values()) items.push({ type: 'key', key });
  for (const { account, websites } of state.accounts.values()) {
    for (const website of websites.values()) items.push({ type: 'website', accountId: account.id, website });
  }
  for (const { account, definitions } of state.accounts.values()) {
    for (const [websiteId, { segment, goal, funnel }] of definitions) {
      const of = { accountId: account.id, websiteId };
      for (const definition of goal.values()) items.push({ type: 'goal', ...of, definition });
      for (const definition of segment.values()) items.push({ type: 'segment', ...of, definition });
      for (const definition of funnel.values()) items.push({ type: 'funnel', ...of, definition });
    }
  }
  for (const { account, links } of state.accounts.values()) {
    for (const [websiteId, ofWebsite] of links) {
      for (const link of ofWebsite.values()) items.push({ type: 'link', accountId: account.id, websiteId, link });
    }
  }
  for (const { account, annotations } of state.accounts.values()) {
    for (const [websiteId, ofWebsite] of annotations) {
      const of = { accountId: account.id, websiteId };
      for (const annotation of ofWebsite.values()) items.push({ type: 'annotation', ...of, annotation });
    }
  }
  for (const { account, alerts, webhooks } of state.accounts.values()) {
    const accountId = account.id;
    for (const { websiteId, alert } of alerts.values()) items.push({ type: 'alert', accountId, websiteId, alert });
    for (const webhook of webhooks.values()) items.push({ type: 'webhook', accountId, webhook: sealed(webhook) });
  }
  return items;
}

function sealed({ url, secret, failingSince: _, ...webhook }: Webhook): SealedWebhook {
  const seal = (text: string, name: string) => SEAL.seal(text, `${webhook.id} ${name}`).toString('base64');
  return {
    ...webhook,
    sealedUrl: url === null ? '' : seal(url, 'url'),
    sealedSecret: secret && seal(secret, 'secret'),
  };
}

function opened({ sealedUrl, sealedSecret, ...webhook }: SealedWebhook): Webhook {
  const open = (text: string, name: string) => SEAL.open(Buffer.from(text, 'base64'), `${webhook.id} ${name}`);
  return {
    ...webhook,
    url: open(sealedUrl, 'url'),
    secret: sealedSecret && open(sealedSecret, 'secret'),
    failingSince: null,
  };
}

function rejectFilled(state: State): void {
  if (state.accounts.size > 0)
    throw new DomainError('not_empty', 'The database already has accounts; import needs an empty one.');
}
