import { MAX_RECIPIENTS, type Recipient } from '@hitherto/domain/recipients';
import { accountProblemResponses, accountResponse } from '@hitherto/http';
import { Type } from '@sinclair/typebox';
import { NoQuery, WebsiteParams } from '../../websites/schemas.ts';
import { bodyOf, gone } from '../documented.ts';

const CreateRecipient = Type.Object(
  {
    email: Type.String({
      maxLength: 256,
      description: 'One address, of at most 254 bytes; letter case does not matter.',
      examples: ['client@example.com'],
    }),
  },
  { additionalProperties: false, $id: 'CreateRecipient', examples: [{ email: 'client@example.com' }] },
);

const EXAMPLE = {
  id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f16',
  email: 'client@example.com',
  status: 'pending',
  asked_at: '2026-11-20T12:00:05.000Z',
  confirmed_at: null,
  created_at: '2026-11-20T12:00:00.000Z',
};
const time = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description });

// Responses are open: fields may be added within v1.
const RecipientSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'UUIDv7.' }),
    email: Type.String(),
    status: Type.String({ description: '`pending`, or `confirmed`, which gets reports.' }),
    asked_at: time('When the mail was recorded that asks to confirm; null before. It works for 7 days.'),
    confirmed_at: time('When the address was confirmed; null before.'),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'Recipient', examples: [EXAMPLE] },
);
const reference = Type.Unsafe<object>({ $ref: 'Recipient#' });
const RecipientResponse = Type.Object(
  { data: reference },
  { $id: 'RecipientResponse', examples: [{ data: { ...EXAMPLE, asked_at: null } }] },
);
const RecipientList = Type.Object(
  { data: Type.Array(reference, { maxItems: MAX_RECIPIENTS }) },
  { $id: 'RecipientList', examples: [{ data: [EXAMPLE] }] },
);

/** The schemas that are referenced by name. */
export const RECIPIENT_SCHEMAS = [CreateRecipient, RecipientSchema, RecipientResponse, RecipientList];

const common = { tags: ['sharing'], querystring: NoQuery };
const ofWebsite = { ...common, params: WebsiteParams };

export const documented = {
  list: {
    ...ofWebsite,
    operationId: 'listRecipients',
    summary: 'List the recipients of a website',
    description:
      'The addresses beside those of the account and its members that get its reports, in the order of their creation.',
    response: {
      200: accountResponse('The recipients.', RecipientList),
      ...accountProblemResponses(400, 401, 403, 404, 408, 422, 429, 431, 500, 503),
    },
  },
  create: {
    ...ofWebsite,
    operationId: 'createRecipient',
    summary: 'Add a recipient',
    description:
      'A mail asks the address to confirm, at most one a day, whoever adds it; until it does, it gets no report.',
    body: bodyOf(CreateRecipient),
    response: {
      201: accountResponse('The recipient, who is pending.', RecipientResponse),
      ...accountProblemResponses(400, 401, 403, 404, 408, 413, 415, 422, 429, 431, 500, 503),
    },
  },
  remove: {
    ...common,
    params: Type.Object({
      ...WebsiteParams.properties,
      recipient_id: Type.String({ description: 'The id of the recipient; letter case does not matter.' }),
    }),
    operationId: 'deleteRecipient',
    summary: 'Remove a recipient',
    description: 'No report that is sent later reaches the address. A second delete is 404.',
    response: {
      204: gone('recipient'),
      ...accountProblemResponses(400, 401, 403, 404, 408, 422, 429, 431, 500, 503),
    },
  },
};

/** A recipient as responses show it. */
export function toRecipientResource({ id, email, askedAt, confirmedAt, createdAt }: Recipient) {
  return {
    id,
    email,
    status: confirmedAt === null ? 'pending' : 'confirmed',
    asked_at: askedAt?.toISOString() ?? null,
    confirmed_at: confirmedAt?.toISOString() ?? null,
    created_at: createdAt.toISOString(),
  };
}
