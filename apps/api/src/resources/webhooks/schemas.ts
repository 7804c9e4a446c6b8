import {
  MAX_WEBHOOK_URL_BYTES,
  MAX_WEBHOOK_WEBSITES,
  MAX_WEBHOOKS,
  WEBHOOK_EVENTS,
  WEBHOOK_FORMATS,
} from '@hitherto/domain/webhooks';
import { Type } from '@sinclair/typebox';
import { Links, pagingParameters } from '../../requests/paging.ts';

const closed = { additionalProperties: false };
const nullable = (type: string, rest: object) => Type.Unsafe<string | null>({ type: [type, 'null'], ...rest });
const oneOf = <Name extends string>(names: readonly Name[], description: string) =>
  Type.Unsafe<Name>({ type: 'string', enum: [...names], description });

const URL_EXAMPLE = 'https://example.com/hooks/hitherto';
const URL_DESCRIPTION = 'An absolute http or https URL, without user name, password and fragment.';
const EVENTS_DESCRIPTION = 'At least one event.';
const WEBSITES_DESCRIPTION = 'The ids of the websites whose events are sent; null for all of the account.';
const ACTIVE_DESCRIPTION = 'Whether events are sent.';

const url = Type.String({ maxLength: MAX_WEBHOOK_URL_BYTES, description: URL_DESCRIPTION, examples: [URL_EXAMPLE] });
const format = oneOf(
  WEBHOOK_FORMATS,
  'json (the default), signed as Standard Webhooks say; or a message of slack, discord, mattermost or telegram. It cannot change.',
);
const events = Type.Array(oneOf(WEBHOOK_EVENTS, `One of ${WEBHOOK_EVENTS.join(', ')}.`), {
  maxItems: WEBHOOK_EVENTS.length,
  description: 'The events that are sent.',
});
const websiteIds = Type.Unsafe<readonly string[] | null>({
  type: ['array', 'null'],
  items: { type: 'string', maxLength: 64 },
  maxItems: MAX_WEBHOOK_WEBSITES,
  description: WEBSITES_DESCRIPTION,
});
const isActive = Type.Boolean({ description: ACTIVE_DESCRIPTION });

const EXAMPLE = { url: URL_EXAMPLE, format: 'json', events: ['website.updated', 'alert.fired'], website_ids: null };
const SHOWN = {
  id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f14',
  ...EXAMPLE,
  is_active: true,
  failing_since: null,
  created_at: '2026-11-20T12:00:00.000Z',
  updated_at: '2026-11-20T12:00:00.000Z',
};

export const CreateWebhook = Type.Object(
  {
    url,
    format: Type.Optional(format),
    events,
    website_ids: Type.Optional(websiteIds),
    is_active: Type.Optional(isActive),
  },
  { ...closed, $id: 'CreateWebhook', examples: [EXAMPLE] },
);

export const UpdateWebhook = Type.Object(
  {
    url: Type.Optional(url),
    format: Type.Optional(format),
    events: Type.Optional(events),
    website_ids: Type.Optional(websiteIds),
    is_active: Type.Optional(isActive),
  },
  { ...closed, $id: 'UpdateWebhook', examples: [{ events: ['alert.fired'], is_active: true }] },
);

// Responses are open: fields may be added within v1.
const shown = {
  id: Type.String({ format: 'uuid', description: 'UUIDv7.' }),
  url: nullable('string', {
    description: `${URL_DESCRIPTION} Of a chat service only the origin is shown, and to a key of scope read of any service. null if it cannot be decrypted, because the key of the installation is another one.`,
  }),
  format: oneOf(WEBHOOK_FORMATS, 'json is signed; the others are messages of chat services.'),
  events: Type.Array(Type.String(), { description: EVENTS_DESCRIPTION }),
  website_ids: Type.Unsafe<readonly string[] | null>({
    type: ['array', 'null'],
    items: { type: 'string' },
    description: WEBSITES_DESCRIPTION,
  }),
  is_active: Type.Boolean({
    description: 'false after a response of 410 and after 5 days of failures. Nothing is sent then.',
  }),
  failing_since: nullable('string', { format: 'date-time', description: 'The first failure since the last success.' }),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time', description: 'Strictly later with every change of the settings.' }),
};

const Webhook = Type.Object(shown, { $id: 'Webhook', examples: [SHOWN] });

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

export const CreatedWebhook = Type.Object(
  {
    data: Type.Object({
      ...shown,
      secret: nullable('string', {
        description: 'Verifies signatures; null for chat services. It is shown once.',
      }),
    }),
  },
  { $id: 'CreatedWebhook', examples: [{ data: { ...SHOWN, secret: SECRET } }] },
);

const one = Type.Unsafe<object>({ $ref: 'Webhook#' });
export const WebhookResponse = Type.Object({ data: one }, { $id: 'WebhookResponse', examples: [{ data: SHOWN }] });
export const WebhookList = Type.Object(
  { data: Type.Array(one, { maxItems: MAX_WEBHOOKS }) },
  { $id: 'WebhookList', examples: [{ data: [SHOWN] }] },
);

const DELIVERY = {
  id: '5a3c2f60-8c1e-4f0e-9d21-3f6f0f3f4f15',
  type: 'website.updated',
  status: 'failed',
  attempts: 7,
  response_code: 500,
  error: 'The response had status 500.',
  created_at: '2026-11-20T12:00:00.000Z',
  attempted_at: '2026-11-21T20:36:00.000Z',
  next_attempt_at: null,
};

const Delivery = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'The webhook-id of every attempt.' }),
    type: Type.String({ description: 'The event; webhook.test and webhook.disabled are about the webhook itself.' }),
    status: oneOf(['pending', 'delivered', 'failed'], 'pending is tried, perhaps again; failed was given up.'),
    attempts: Type.Integer(),
    response_code: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The status of the last response; null if there was none.',
    }),
    error: nullable('string', { description: 'Why the last attempt failed.' }),
    created_at: Type.String({ format: 'date-time' }),
    attempted_at: nullable('string', { format: 'date-time' }),
    next_attempt_at: nullable('string', { format: 'date-time', description: 'null unless it is pending.' }),
  },
  { $id: 'Delivery', examples: [DELIVERY] },
);

const delivery = Type.Unsafe<object>({ $ref: 'Delivery#' });
export const DeliveryResponse = Type.Object(
  { data: delivery },
  { $id: 'DeliveryResponse', examples: [{ data: DELIVERY }] },
);
export const DeliveryList = Type.Object(
  {
    data: Type.Array(delivery, { maxItems: 100 }),
    links: Links,
    meta: Type.Object({ per_page: Type.Integer() }),
  },
  {
    $id: 'DeliveryList',
    examples: [{ data: [DELIVERY], links: { next: null, prev: null }, meta: { per_page: 10 } }],
  },
);

export const DeliveryQuery = Type.Object(pagingParameters('Deliveries', 'webhook'), closed);

const id = (description: string) => Type.String({ description: `${description}; letter case does not matter.` });
export const WebhookParams = Type.Object({ webhook_id: id('The id of the webhook') });
export const DeliveryParams = Type.Object({
  ...WebhookParams.properties,
  delivery_id: id('The id of the delivery'),
});

/** The schemas that are referenced by name. */
export const WEBHOOK_SCHEMAS = [
  CreateWebhook,
  UpdateWebhook,
  Webhook,
  CreatedWebhook,
  WebhookResponse,
  WebhookList,
  Delivery,
  DeliveryResponse,
  DeliveryList,
];
