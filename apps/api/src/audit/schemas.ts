import { Type } from '@sinclair/typebox';
import { Links, pagingParameters } from '../requests/paging.ts';

const day = (description: string) =>
  Type.Optional(Type.String({ maxLength: 10, description, examples: ['2026-11-20'] }));

export const AuditQuery = Type.Object(
  {
    website: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'The id of a website, which may have been deleted: only its changes.',
      }),
    ),
    from: day('The first day, in the time zone of the website, or else of the installation.'),
    to: day('The last day.'),
    ...pagingParameters('Changes', 'website, from and to'),
  },
  { additionalProperties: false },
);

const anyValue = (description: string) => Type.Unsafe<unknown>({ description });
const lines = (description: string) => Type.Array(Type.String(), { description });

const EXAMPLE = {
  id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f12',
  at: '2026-11-20T12:00:00.000Z',
  action: 'website.updated',
  website_id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f10',
  subject: { id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f10', name: 'https://example.com' },
  actor: { type: 'key', id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f13', label: 'deploy' },
  request_id: '01997c3e-5a0f-4c3a-9d21-3f6f0f3f4f10',
  network: '203.0.113.0/24',
  changes: [
    { field: 'privacy', before: 1, after: 2 },
    { field: 'exclude_ips', added: ['203.0.113.7'], removed: [] },
    { field: 'password', change: 'set' },
  ],
};

// Responses are open: fields and kinds of changes may be added within v1.
const Change = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'UUIDv7.' }),
    at: Type.String({ format: 'date-time' }),
    action: Type.String({
      description:
        'The action: website, segment, goal, funnel, link, recipient, annotation, cleanup, alert, import, webhook, account, key, member or invitation, and .created, .updated, .deleted, .revoked or .moved.',
    }),
    website_id: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'null for changes to the account and its keys.',
    }),
    subject: Type.Object(
      { id: Type.String(), name: Type.Unsafe<string | null>({ type: ['string', 'null'] }) },
      { description: 'The changed resource, with its address, name or label after the change.' },
    ),
    actor: Type.Object({
      type: Type.Unsafe<string>({
        type: 'string',
        enum: ['person', 'key', 'session', 'command_line', 'unsubscribe_link', 'confirm_link', 'provider'],
        description:
          'A person, a key in a request, a browser that is signed in with one, a command, or the link of a mail.',
      }),
      id: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'The id of the person or the key.' }),
      label: Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'The name of the person, or the label of the key.',
      }),
    }),
    request_id: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    network: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: "The client's network, a /24 or a /48, where the change came by HTTP.",
    }),
    changes: Type.Array(
      Type.Object({
        field: Type.String({ description: 'As requests name it.' }),
        before: Type.Optional(anyValue('null for none.')),
        after: Type.Optional(anyValue('null for none.')),
        added: Type.Optional(lines('The lines that a list has more.')),
        removed: Type.Optional(lines('The lines that were removed from a list.')),
        change: Type.Optional(
          Type.Unsafe<string>({ type: 'string', enum: ['set', 'changed', 'removed'], description: 'Of a secret.' }),
        ),
      }),
      { description: 'Each changed field: with before and after, with added and removed lines, or a secret.' },
    ),
  },
  { $id: 'Change', examples: [EXAMPLE] },
);

export const ChangeList = Type.Object(
  {
    data: Type.Array(Type.Unsafe<object>({ $ref: 'Change#' }), { maxItems: 100 }),
    links: Links,
    meta: Type.Object({ per_page: Type.Integer() }),
  },
  {
    $id: 'ChangeList',
    examples: [{ data: [EXAMPLE], links: { next: null, prev: null }, meta: { per_page: 10 } }],
  },
);

/** The schemas that are referenced by name. */
export const AUDIT_SCHEMAS = [Change, ChangeList];
