import { DomainError, ItemRefused, type Transfer, type TransferItem } from '@hitherto/domain';
import { createAccessRepository } from './access-repository.ts';
import { emptyState, type State } from './state.ts';
import { createWebsiteRepository } from './website-repository.ts';

/** Exports `state`, or imports into an empty one. */
export function createTransfer(state: State): Transfer {
  return {
    async *exportAll() {
      // A snapshot, taken in one turn of the event loop.
      yield* structuredClone(itemsOf(state));
    },

    async importAll(items) {
      refuseFilled(state);
      // Built separately first: if a record fails, nothing is imported.
      const taken = emptyState();
      const access = createAccessRepository(taken);
      const websites = createWebsiteRepository(taken);
      const insert = async (item: TransferItem): Promise<void> => {
        if (item.type === 'account') await access.insertAccount(item.account);
        else if (item.type === 'key') await access.insertKey(item.key);
        else await websites.insert(item.accountId, item.website);
      };
      const counts = { accounts: 0, keys: 0, websites: 0 };
      let position = 0;
      for await (const item of items) {
        position += 1;
        await insert(item).catch((error: unknown) => {
          throw refusal(error, position);
        });
        counts[`${item.type}s`] += 1;
      }
      refuseFilled(state);
      state.accounts = taken.accounts;
      state.keys = taken.keys;
      state.reportsSince = taken.reportsSince;
      return counts;
    },
  };
}

/** The error of an insert as the port reports it. */
function refusal(error: unknown, position: number): unknown {
  if (!(error instanceof DomainError)) return error;
  const { code } = error;
  const isRefusal = code === 'not_found' || code === 'name_taken' || code === 'url_taken' || code === 'id_taken';
  return isRefusal ? new ItemRefused(code, position, { cause: error }) : error;
}

function itemsOf(state: State): TransferItem[] {
  const items: TransferItem[] = [];
  for (const { account } of state.accounts.values()) items.push({ type: 'account', account });
  for (const key of state.keys.values()) items.push({ type: 'key', key });
  for (const { account, websites } of state.accounts.values()) {
    for (const website of websites.values()) items.push({ type: 'website', accountId: account.id, website });
  }
  return items;
}

function refuseFilled(state: State): void {
  if (state.accounts.size > 0)
    throw new DomainError('not_empty', 'The database already has accounts; import needs an empty one.');
}
