// Fastify, TypeBox and Kysely as usually written: a hook looks up the key, queries are built where they are used, pages use
// OFFSET with a full count, search uses ILIKE. No limits, logs or metrics.

import { newId } from '@hitherto/adapters/system';
import { type Static, Type } from '@sinclair/typebox';
import Fastify, { type FastifyRequest } from 'fastify';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { keyHashOf, POOL_SIZE, settings, toResource, type WebsiteRow } from './setup.ts';

declare module 'fastify' {
  interface FastifyRequest {
    accountId: string;
  }
}

interface Tables {
  api_key: { hash: string; account_id: string; revoked_at: Date | null; expires_at: Date | null };
  website: WebsiteRow & { account_id: string; search_text: string | null };
}

const PRIVACIES = ['public', 'private', 'password'] as const;
const COLUMNS = [
  'id',
  'scheme',
  'address',
  'privacy',
  'password_hash',
  'email_reports',
  'exclude_bots',
  // Lists as JSON, as Hitherto reads them: pg parses arrays letter by letter.
  sql<string[]>`to_json(excluded_params)`.as('excluded_params'),
  sql<string[]>`to_json(excluded_ips)`.as('excluded_ips'),
  'created_at',
  'updated_at',
] as const;

/** The expression that the search index is made of. */
const SEARCHED = sql<string>`coalesce(search_text, scheme || '://' || address)`;

function partsOf(url: string) {
  const [scheme = '', address = ''] = url.split('://');
  return { scheme, address };
}

const Website = Type.Object({
  id: Type.String(),
  url: Type.String(),
  privacy: Type.Integer(),
  has_password: Type.Boolean(),
  email: Type.Integer(),
  exclude_bots: Type.Integer(),
  exclude_params: Type.Union([Type.String(), Type.Null()]),
  exclude_ips: Type.Union([Type.String(), Type.Null()]),
  created_at: Type.String(),
  updated_at: Type.String(),
});
const One = Type.Object({ data: Website });
const Page = Type.Object({ data: Type.Array(Website), meta: Type.Object({ total: Type.Integer() }) });
const Fields = Type.Object({
  url: Type.String({ format: 'uri' }),
  privacy: Type.Optional(Type.Integer({ minimum: 0, maximum: 1 })),
  email: Type.Optional(Type.Integer({ minimum: 0, maximum: 1 })),
  exclude_params: Type.Optional(Type.String()),
});
const Changes = Type.Partial(Fields);
const ById = Type.Object({ id: Type.String({ format: 'uuid' }) });
const List = Type.Object({
  search: Type.Optional(Type.String()),
  page: Type.Integer({ minimum: 1, default: 1 }),
  per_page: Type.Integer({ minimum: 10, maximum: 100, default: 10 }),
});

const { databaseUrl, port } = settings();
const db = new Kysely<Tables>({
  dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl, max: POOL_SIZE }) }),
});
const app = Fastify();

app.decorateRequest('accountId', '');
app.addHook('onRequest', async (request, reply) => {
  const key = await db
    .selectFrom('api_key')
    .select('account_id')
    .where('hash', '=', keyHashOf(request.headers.authorization) ?? '')
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', new Date())]))
    .executeTakeFirst();
  if (key === undefined) return reply.code(401).send({ error: 'unauthorized' });
  request.accountId = key.account_id;
});

const find = (request: FastifyRequest, id: string) =>
  db
    .selectFrom('website')
    .select(COLUMNS)
    .where('account_id', '=', request.accountId)
    .where('id', '=', id)
    .executeTakeFirst();

app.get<{ Params: Static<typeof ById> }>(
  '/api/v1/websites/:id',
  { schema: { params: ById, response: { 200: One } } },
  async (request, reply) => {
    const website = await find(request, request.params.id);
    return website === undefined ? reply.code(404).send({ error: 'not found' }) : { data: toResource(website) };
  },
);

app.post<{ Body: Static<typeof Fields> }>(
  '/api/v1/websites',
  { schema: { body: Fields, response: { 201: One } } },
  async (request, reply) => {
    const now = new Date();
    const website = await db
      .insertInto('website')
      .values({
        account_id: request.accountId,
        id: newId(),
        ...partsOf(request.body.url),
        search_text: null,
        privacy: PRIVACIES[request.body.privacy ?? 1] ?? 'private',
        password_hash: null,
        email_reports: request.body.email === 1,
        exclude_bots: true,
        excluded_params: request.body.exclude_params?.split('\n') ?? [],
        excluded_ips: [],
        created_at: now,
        updated_at: now,
      })
      .returning(COLUMNS)
      .executeTakeFirstOrThrow();
    return reply.code(201).send({ data: toResource(website) });
  },
);

app.patch<{ Params: Static<typeof ById>; Body: Static<typeof Changes> }>(
  '/api/v1/websites/:id',
  { schema: { params: ById, body: Changes, response: { 200: One } } },
  async (request, reply) => {
    const stored = await find(request, request.params.id);
    if (stored === undefined) return reply.code(404).send({ error: 'not found' });
    const { url, privacy, email, exclude_params: params } = request.body;
    const website = await db
      .updateTable('website')
      .set({
        ...(url === undefined ? {} : partsOf(url)),
        privacy: privacy === undefined ? stored.privacy : (PRIVACIES[privacy] ?? 'private'),
        email_reports: email === undefined ? stored.email_reports : email === 1,
        excluded_params: params === undefined ? stored.excluded_params : params.split('\n'),
        updated_at: new Date(),
      })
      .where('account_id', '=', request.accountId)
      .where('id', '=', request.params.id)
      .returning(COLUMNS)
      .executeTakeFirstOrThrow();
    return { data: toResource(website) };
  },
);

app.get<{ Querystring: Static<typeof List> }>(
  '/api/v1/websites',
  { schema: { querystring: List, response: { 200: Page } } },
  async (request) => {
    const { search, page, per_page: size } = request.query;
    let websites = db.selectFrom('website').where('account_id', '=', request.accountId);
    if (search !== undefined) websites = websites.where(SEARCHED, 'ilike', `%${search}%`);
    const [rows, { total }] = await Promise.all([
      websites
        .select(COLUMNS)
        .orderBy('id', 'desc')
        .limit(size)
        .offset((page - 1) * size)
        .execute(),
      websites.select(sql<string>`count(*)`.as('total')).executeTakeFirstOrThrow(),
    ]);
    return { data: rows.map(toResource), meta: { total: Number(total) } };
  },
);

await app.listen({ port, host: '127.0.0.1' });
process.on('SIGTERM', () => process.exit());
