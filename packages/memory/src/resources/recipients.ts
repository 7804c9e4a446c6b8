import { randomUUID } from 'node:crypto';
import { foldEmail } from '@hitherto/domain/people';
import {
  ASKED_MS,
  MAX_RECIPIENTS,
  type Recipient,
  type RecipientRepository,
  recipientTaken,
  tooManyRecipients,
} from '@hitherto/domain/recipients';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { audit } from '../audit-trail.ts';
import type { State } from '../state.ts';
import { addTask } from '../task-queue.ts';
import { createOwned } from './owned.ts';

/** Stores recipients of reports in `state`. */
export function createRecipientRepository(state: State): RecipientRepository {
  const all = state.resources.recipient;
  const owned = createOwned<WebsiteKey, Recipient>(state, all, {
    limit: MAX_RECIPIENTS,
    tooMany: tooManyRecipients,
    reject(_, { email }, others) {
      if (others.some((other) => foldEmail(other.email) === foldEmail(email))) throw recipientTaken();
    },
  });
  const put = (id: string, changes: Partial<Recipient>) => {
    const found = all.get(id);
    if (found !== undefined) all.set(id, { ...found, resource: { ...found.resource, ...changes } });
  };
  return {
    ...owned,

    async findById(id) {
      const found = all.get(id);
      const { accountId = '', websiteId = '' } = found?.owner ?? {};
      const website = state.accounts.get(accountId)?.websites.get(websiteId);
      return found && website && structuredClone({ recipient: found.resource, accountId, website });
    },

    async confirm(id, now, change) {
      if (all.get(id)?.resource.confirmedAt !== null) return false;
      put(id, { confirmedAt: new Date(now) });
      audit(state, change);
      return true;
    },

    async ask(now) {
      const due = [...all.values()].filter(
        ({ resource }) => resource.askedAt === null && resource.confirmedAt === null,
      );
      const asked = due.filter(({ resource: { id, email } }) => {
        const last = state.askedAddresses.get(foldEmail(email));
        if (last !== undefined && last.getTime() > now.getTime() - ASKED_MS) return false;
        state.askedAddresses.set(foldEmail(email), new Date(now));
        put(id, { askedAt: new Date(now) });
        const payload = { at: now.toISOString(), about: { kind: 'recipient', recipientId: id } };
        return addTask(state, { kind: 'mail', websiteId: null, key: randomUUID(), payload }, now);
      });
      return asked.length;
    },

    async forgetAsked(time) {
      for (const [email, at] of state.askedAddresses) if (at < time) state.askedAddresses.delete(email);
    },
  };
}
