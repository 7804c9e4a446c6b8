import type { Fault } from '@hitherto/domain/base';
import type { TimeZone } from '@hitherto/domain/calendar';
import { createResource } from '@hitherto/domain/resources';
import {
  listDeliveries,
  MAX_WEBHOOKS,
  parseNewWebhook,
  parseWebhookChanges,
  WEBHOOK,
  type Webhook,
  type WebhookDependencies,
  webhookHost,
} from '@hitherto/domain/webhooks';
import type { WebsiteDirectory } from '@hitherto/domain/websites';
import type { FastifyRequest } from 'fastify';
import { decodeCursor, encodeCursor } from '../../../shared/cursor.ts';
import { resourcePath, webhooksPath } from '../../../shared/paths.ts';
import { queryParameters } from '../../../shared/request.ts';
import type { FindingAccounts } from '../../accounts.tsx';
import { Done, Failed } from '../../notices.tsx';
import { type Opened, openAccount } from '../opened.tsx';
import { parseWith } from '../rejection.ts';
import type { ResourcePages } from '../resource-pages.ts';
import { updateOnce } from '../versions.ts';
import { DeliveriesTable } from './deliveries-table.tsx';
import { Controls } from './webhook-controls.tsx';
import { describeForm, formOf, readWebhookForm } from './webhook-form.ts';
import { EVENTS, FORMATS } from './words.ts';

export interface WebhookPagesDependencies extends WebhookDependencies, FindingAccounts {
  readonly directory: Pick<WebsiteDirectory, 'findByAddress'>;
  /** The installation's. */
  readonly zone: TimeZone;
}

const PER_PAGE = 25;

/** The webhooks of the account (webhooks.md). */
export const WEBHOOK_PAGES: ResourcePages<WebhookPagesDependencies, Opened<{ readonly accountId: string }>, Webhook> = {
  type: WEBHOOK,
  list: webhooksPath(':id'),
  limit: MAX_WEBHOOKS,
  forms: 'page',
  hasPage: true,
  purpose: 'A webhook tells another program or a chat when something happens.',
  add: 'Add a webhook',
  submit: 'Add the webhook',
  consequence: 'The list of its deliveries is deleted with it, and no more events are sent there.',

  open: (deps, request) => openAccount(deps, request, 'Webhooks', webhooksPath),

  nameOf: (webhook) => webhookHost(webhook) ?? 'A webhook that cannot be decrypted',
  summarize: (_deps, _found, webhooks) =>
    webhooks.map(({ format, events, isActive }) => {
      const sentences = [FORMATS[format], ...events.map((event) => EVENTS[event])];
      return `${sentences.join('. ')}.${isActive ? '' : ' Turned off: no events are sent.'}`;
    }),
  describe: async (deps, found, webhook) => describeForm(await formOf(deps, found, webhook)),

  async surroundings(deps, { owner, list, canWrite }, { id, isActive }, request) {
    const [after] = decodeCursor(queryParameters(request).get('after'));
    const position = typeof after === 'string' ? after : undefined;
    const { deliveries, next } = await listDeliveries(deps, owner.accountId, id, PER_PAGE, position);
    const canSend = canWrite && isActive;
    return {
      above: (
        <>
          {await outcomeOf(deps, owner.accountId, id, request)}
          {!isActive && <p class="notice">The webhook is turned off: no events are sent.</p>}
        </>
      ),
      below: (
        <>
          <h2>Deliveries</h2>
          {canSend && (
            <form method="post" action={resourcePath(list, id, 'test')}>
              <button class="plain" type="submit">
                Send a test
              </button>
            </form>
          )}
          <DeliveriesTable
            list={list}
            webhookId={id}
            deliveries={deliveries}
            zone={deps.zone}
            canRetry={canSend}
            older={next && `${resourcePath(list, id)}?after=${encodeCursor([next])}`}
          />
          {canWrite && (
            <p>
              <a href={resourcePath(list, id, 'delete')}>Delete the webhook</a>
            </p>
          )}
        </>
      ),
    };
  },

  blank: () => ({ format: 'json' }),
  fieldsOf: formOf,
  controls: (_deps, _found, form) => <Controls {...form} />,
  placeFaults: (faults) => faults.map(inFormWords),

  async create(deps, { owner }, fields) {
    const { input, faults } = await readWebhookForm(deps, owner.accountId, fields, undefined);
    const settings = parseWith(faults, () => parseNewWebhook(input));
    const created = await createResource(deps, WEBHOOK, owner, settings);
    return { created, once: created.secret === null ? undefined : <Secret secret={created.secret} /> };
  },
  async update(deps, { owner }, stored, fields, precondition) {
    const { input, faults } = await readWebhookForm(deps, owner.accountId, fields, stored);
    const changes = parseWith(faults, () => parseWebhookChanges(input));
    await updateOnce(deps, WEBHOOK, owner, stored, changes, precondition);
  },
};

/** The outcome of a test, or of a delivery that is sent again. */
async function outcomeOf(
  deps: WebhookPagesDependencies,
  accountId: string,
  webhookId: string,
  request: FastifyRequest,
) {
  const query = queryParameters(request);
  if (query.has('retried')) return <Done text="It is sent again within a few seconds." />;
  const tested = query.get('tested');
  const delivery = tested && (await deps.webhookOutbox.find(accountId, webhookId, tested));
  if (!delivery) return null;
  const { event, state, responseCode, error } = delivery;
  if (event.type !== 'webhook.test' || state === 'pending') return null;
  if (state === 'failed') return <Failed text={`The test failed. ${error}`} />;
  return <Done text={`The test was delivered: the response had status ${responseCode}.`} />;
}

/** The secret of a webhook, which is shown once. */
function Secret({ secret }: { readonly secret: string }) {
  return (
    <div class="notice" role="status">
      <p>The webhook was added. Its secret verifies signatures, and is shown only now:</p>
      <p>
        <code class="secret">{secret}</code>
      </p>
    </div>
  );
}

/** A fault as a sentence of the form, where its detail is about requests of the API. */
function inFormWords(fault: Fault): Fault {
  return fault.field === 'events' ? { ...fault, detail: 'Choose at least one event.' } : fault;
}
