import { DomainError, type Fault, InvalidFields } from '@hitherto/domain/base';
import type { TimeZone } from '@hitherto/domain/calendar';
import {
  createResource,
  deleteResource,
  listResources,
  showResource,
  updateResource,
} from '@hitherto/domain/resources';
import {
  changeWebhook,
  type DeliverDependencies,
  type Delivery,
  listDeliveries,
  parseNewWebhook,
  parseWebhookChanges,
  retryDelivery,
  testWebhook,
  WEBHOOK,
  type Webhook,
  type WebhookDependencies,
} from '@hitherto/domain/webhooks';
import type { WebsiteDirectory } from '@hitherto/domain/websites';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { decodeCursor, encodeCursor } from '../../shared/cursor.ts';
import { type Body, valueIn, valuesIn } from '../../shared/form.ts';
import { sendPage } from '../../shared/page.tsx';
import { NEW_WEBHOOK, WEBHOOKS, webhookPath } from '../../shared/paths.ts';
import { queryParameters } from '../../shared/request.ts';
import type { ById } from '../found-website.ts';
import { deleteOnce } from '../not-found.ts';
import { accountOf, authorOf, keyOf, mayWrite, requireWriteScope } from '../session.ts';
import { isStale, requireVersion, versionOf } from '../versions.ts';
import { describeForm, formOf, readWebhookForm, type WebhookValues } from './webhook-form.ts';
import { DeletePage, NewWebhookPage, type Said, WebhookPage } from './webhook-page.tsx';
import { WebhooksPage } from './webhooks-page.tsx';

export interface WebhookRoutesDependencies extends WebhookDependencies {
  readonly directory: Pick<WebsiteDirectory, 'findByAddress'>;
  /** Sends tests. */
  readonly deliveries: DeliverDependencies;
  /** The installation's. */
  readonly zone: TimeZone;
}

const PER_PAGE = 25;

/** The webhooks of the account (webhooks.md); the scope has a session. */
export function webhookRoutes(scope: FastifyInstance, deps: WebhookRoutesDependencies): void {
  const find = (request: FastifyRequest<ById>) =>
    showResource(deps, WEBHOOK, { accountId: accountOf(request) }, request.params.id.toLowerCase());

  const sendNew = (request: FastifyRequest, reply: FastifyReply, said: Said = {}) =>
    sendPage(reply, <NewWebhookPage said={said} canWrite={mayWrite(request)} />);

  const send = async (request: FastifyRequest, reply: FastifyReply, webhook: Webhook, said: Said = {}) => {
    const accountId = accountOf(request);
    const [after] = decodeCursor(queryParameters(request).get('after'));
    const position = typeof after === 'string' ? after : undefined;
    const { deliveries, next } = await listDeliveries(deps, accountId, webhook.id, PER_PAGE, position);
    return sendPage(
      reply,
      <WebhookPage
        webhook={webhook}
        canWrite={mayWrite(request)}
        values={said.values ?? (await formOf(deps, keyOf(request), webhook))}
        said={said}
        deliveries={deliveries}
        zone={deps.zone}
        older={next && `${webhookPath(webhook.id)}?after=${encodeCursor([next])}`}
      />,
    );
  };

  /** The outcome of the owner's last action. */
  const outcomeOf = async (request: FastifyRequest, webhook: Webhook): Promise<Said> => {
    const query = queryParameters(request);
    if (query.has('saved')) return { done: 'The webhook was saved.' };
    if (query.has('retried')) return { done: 'It is sent again within a few seconds.' };
    const tested = query.get('tested');
    const delivery = tested && (await deps.webhookOutbox.find(accountOf(request), webhook.id, tested));
    return delivery ? outcomeOfTest(delivery) : {};
  };

  /** Shows a form again that was sent after the webhook was changed elsewhere: a person who saves again has seen the change. */
  const sendStale = async (request: FastifyRequest<ById>, reply: FastifyReply, values: WebhookValues) => {
    const webhook = await find(request);
    const now = describeForm(await formOf(deps, keyOf(request), webhook));
    return send(request, reply.code(409), webhook, {
      values: { ...values, version: versionOf(webhook) },
      fault: `Nothing was saved. This webhook was changed elsewhere after you opened this page. It is now: ${now}. Save again to replace this.`,
    });
  };

  scope.get(WEBHOOKS, async (request, reply) => {
    const webhooks = await listResources(deps, WEBHOOK, { accountId: accountOf(request) });
    return sendPage(reply, <WebhooksPage webhooks={webhooks} canWrite={mayWrite(request)} />);
  });
  scope.get(NEW_WEBHOOK, (request, reply) => sendNew(request, reply));
  scope.get<ById>(webhookPath(':id'), async (request, reply) => {
    const webhook = await find(request);
    return send(request, reply, webhook, await outcomeOf(request, webhook));
  });
  // A GET of a form's action URL redirects to the webhook.
  for (const page of ['test', 'retry'] as const) {
    scope.get<ById>(webhookPath(':id', page), (request, reply) =>
      reply.redirect(webhookPath(encodeURIComponent(request.params.id)), 303),
    );
  }
  scope.get<ById>(webhookPath(':id', 'delete'), async (request, reply) => {
    const webhook = await find(request);
    return sendPage(reply, <DeletePage webhook={webhook} canWrite={mayWrite(request)} />);
  });

  scope.register(async (writing) => {
    requireWriteScope(writing);
    const changing = (request: FastifyRequest) => ({ ...deps, author: authorOf(request) });

    writing.post<Body>(NEW_WEBHOOK, async (request, reply) => {
      const values = valuesIn(request.body);
      const { input, faults } = await readWebhookForm(deps, accountOf(request), values, undefined);
      const create = () =>
        createResource(changing(request), WEBHOOK, { accountId: accountOf(request) }, parseNewWebhook(input));
      const made = await withFaults(create, faults);
      if (!('result' in made)) return sendNew(request, reply.code(made.status), { values, ...made });
      if (made.result.secret === null) return reply.redirect(webhookPath(made.result.id), 303);
      // The secret is in the response and nowhere else, so there is no redirect.
      return send(request, reply.code(201), made.result, { secret: made.result.secret });
    });

    writing.post<ById & Body>(webhookPath(':id'), async (request, reply) => {
      const webhook = await find(request);
      const values = valuesIn(request.body);
      const { input, faults } = await readWebhookForm(deps, accountOf(request), values, webhook);
      // A form that is sent twice does the same as one that is sent once.
      const update = async () => {
        const changes = parseWebhookChanges(input);
        if (changeWebhook(webhook, changes, deps.now()) === webhook) return;
        await updateResource(
          changing(request),
          WEBHOOK,
          { accountId: accountOf(request) },
          webhook.id,
          changes,
          requireVersion(values.version),
        );
      };
      try {
        const made = await withFaults(update, faults);
        if ('result' in made) return reply.redirect(`${webhookPath(webhook.id)}?saved`, 303);
        return await send(request, reply.code(made.status), webhook, { values, ...made });
      } catch (error) {
        if (!isStale(error)) throw error;
        return sendStale(request, reply, values);
      }
    });

    writing.post<ById>(webhookPath(':id', 'test'), async (request, reply) => {
      const webhook = await find(request);
      const sending = { ...deps.deliveries, webhooks: deps.webhooks };
      const made = await withFaults(() => testWebhook(sending, accountOf(request), webhook.id));
      if (!('result' in made)) return send(request, reply.code(made.status), webhook, made);
      return reply.redirect(`${webhookPath(webhook.id)}?tested=${made.result.id}`, 303);
    });

    writing.post<ById & Body>(webhookPath(':id', 'retry'), async (request, reply) => {
      const webhook = await find(request);
      const id = valueIn(request.body, 'delivery') ?? '';
      const made = await withFaults(() => retryDelivery(deps, accountOf(request), webhook.id, id));
      if (!('result' in made)) return send(request, reply.code(made.status), webhook, made);
      return reply.redirect(`${webhookPath(webhook.id)}?retried`, 303);
    });

    writing.post<ById>(webhookPath(':id', 'delete'), async (request, reply) => {
      await deleteOnce(
        deleteResource(changing(request), WEBHOOK, { accountId: accountOf(request) }, request.params.id.toLowerCase()),
      );
      return reply.redirect(WEBHOOKS, 303);
    });
  });
}

function outcomeOfTest({ event, state, responseCode, error }: Delivery): Said {
  if (event.type !== 'webhook.test' || state === 'pending') return {};
  if (state === 'delivered') return { done: `The test was delivered: the response had status ${responseCode}.` };
  return { fault: `The test failed. ${error}` };
}

/** Codes of errors that a page explains. */
const EXPLAINED: ReadonlySet<string> = new Set(['too_many_webhooks', 'webhook_inactive', 'no_secret_key']);

type Made<T> =
  | { readonly result: T }
  | { readonly status: number; readonly faults: readonly Fault[] }
  | { readonly status: number; readonly fault: string };

/** The result of `work`, or why it was not done; faults that were found before prevent it. */
async function withFaults<T>(work: () => Promise<T>, known: readonly Fault[] = []): Promise<Made<T>> {
  if (known.length > 0) return { status: 422, faults: known };
  try {
    return { result: await work() };
  } catch (error) {
    if (error instanceof InvalidFields) return { status: 422, faults: error.faults.map(inFormWords) };
    if (error instanceof DomainError && EXPLAINED.has(error.code)) return { status: 409, fault: error.message };
    throw error;
  }
}

/** A fault as a sentence of the form, where its detail is about requests of the API. */
function inFormWords(fault: Fault): Fault {
  return fault.field === 'events' ? { ...fault, detail: 'Choose at least one event.' } : fault;
}
