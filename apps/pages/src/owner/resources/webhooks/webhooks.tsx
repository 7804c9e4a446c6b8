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
import type { Locale } from '@hitherto/words';
import type { FastifyRequest } from 'fastify';
import { decodeCursor, encodeCursor } from '../../../shared/cursor.ts';
import { useLocale } from '../../../shared/locale.tsx';
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
  texts: ({ webhook }) => webhook,

  open: (deps, request) => openAccount(deps, request, webhooksPath),

  nameOf: (webhook, { locale }) => webhookHost(webhook) ?? locale.words.resources.webhook.unreadable,
  summarize: (_deps, { locale: { words } }, webhooks) =>
    webhooks.map(({ format, events, isActive }) => {
      const { formats, events: names, off } = words.resources.webhook;
      const sentences = [formats[format], ...events.map((event) => names[event])];
      return `${sentences.join('. ')}.${isActive ? '' : ` ${off}`}`;
    }),
  describe: async (deps, found, webhook) => describeForm(found.locale, await formOf(deps, found, webhook)),

  async surroundings(deps, { owner, list, canWrite, locale }, { id, isActive }, request) {
    const { webhook } = locale.words.resources;
    const [after] = decodeCursor(queryParameters(request).get('after'));
    const position = typeof after === 'string' ? after : undefined;
    const { deliveries, next } = await listDeliveries(deps, owner.accountId, id, PER_PAGE, position);
    const canSend = canWrite && isActive;
    return {
      above: (
        <>
          {await outcomeOf(deps, locale, owner.accountId, id, request)}
          {!isActive && <p class="notice">{webhook.isOff}</p>}
        </>
      ),
      below: (
        <>
          <h2>{webhook.deliveries}</h2>
          {canSend && (
            <form method="post" action={resourcePath(list, id, 'test')}>
              <button class="plain" type="submit">
                {webhook.sendTest}
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
              <a href={resourcePath(list, id, 'delete')}>{webhook.delete}</a>
            </p>
          )}
        </>
      ),
    };
  },

  blank: () => ({ format: 'json' }),
  fieldsOf: formOf,
  controls: (_deps, _found, form) => <Controls {...form} />,

  async create(deps, found, fields) {
    const { input, faults } = await readWebhookForm(deps, found, fields, undefined);
    const settings = parseWith(faults, () => parseNewWebhook(input));
    const created = await createResource(deps, WEBHOOK, found.owner, settings);
    return { created, once: created.secret === null ? undefined : <Secret secret={created.secret} /> };
  },
  async update(deps, found, stored, fields, precondition) {
    const { input, faults } = await readWebhookForm(deps, found, fields, stored);
    const changes = parseWith(faults, () => parseWebhookChanges(input));
    await updateOnce(deps, WEBHOOK, found.owner, stored, changes, precondition);
  },
};

/** The outcome of a test, or of a delivery that is sent again. */
async function outcomeOf(
  deps: WebhookPagesDependencies,
  { words }: Locale,
  accountId: string,
  webhookId: string,
  request: FastifyRequest,
) {
  const { webhook } = words.resources;
  const query = queryParameters(request);
  if (query.has('retried')) return <Done text={webhook.sentAgain} />;
  const tested = query.get('tested');
  const delivery = tested && (await deps.webhookOutbox.find(accountId, webhookId, tested));
  if (!delivery) return null;
  const { event, state, responseCode, error } = delivery;
  if (event.type !== 'webhook.test' || state === 'pending') return null;
  if (state === 'failed') return <Failed text={webhook.testFailed(error ?? '')} />;
  return <Done text={webhook.testDelivered(responseCode ?? 0)} />;
}

/** The secret of a webhook, which is shown once. */
function Secret({ secret }: { readonly secret: string }) {
  return (
    <div class="notice" role="status">
      <p>{useLocale().words.resources.webhook.secret}</p>
      <p>
        <code class="secret">{secret}</code>
      </p>
    </div>
  );
}
