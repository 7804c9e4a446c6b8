// Fastify, TypeBox and Kysely as usually written. The API: a hook looks up the key, queries are built where they are used, pages
// use OFFSET with a full count, search uses ILIKE. Hits: each looks up its website, asks isbot, reads names from the user agent,
// and inserts one row into the table that Hitherto uses; there are no settings, visits or countries. No limits, logs or metrics.
import { createHash } from 'node:crypto';
import { newId } from '@hitherto/adapters/system';
import { type Static, Type } from '@sinclair/typebox';
import Fastify, { type FastifyRequest } from 'fastify';
import { isbot } from 'isbot';
import { type Generated, Kysely, PostgresDialect, sql } from 'kysely';
import { UAParser } from 'ua-parser-js';
import { COLUMNS, keyHashOf, LISTEN, pool, toResource, type WebsiteRow } from './setup.ts';

declare module 'fastify' {
  interface FastifyRequest {
    accountId: string;
  }
}

interface Tables {
  api_key: { hash: string; account_id: string; revoked_at: Date | null; expires_at: Date | null };
  website: WebsiteRow & { account_id: string; number: Generated<string> };
  hit: Record<string, string | Date | null>;
}

const PRIVACIES = ['public', 'private', 'password'] as const;
const SELECTED = [
  ...COLUMNS,
  sql<string[]>`to_json(excluded_params)`.as('excluded_params'),
  sql<string[]>`to_json(excluded_ips)`.as('excluded_ips'),
] as const;
/** The expression that the search index is made of. */
const SEARCHED = sql<string>`coalesce(search_text, scheme || '://' || address)`;

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
const Hit = Type.Object({
  website: Type.String({ format: 'uuid' }),
  url: Type.String({ maxLength: 4_096 }),
  referrer: Type.Optional(Type.String()),
});

const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });

function partsOf(url: string) {
  const [scheme = '', address = ''] = url.split('://');
  return { scheme, address };
}

const app = Fastify({ trustProxy: true });

await app.register(
  async (api) => {
    api.decorateRequest('accountId', '');
    api.addHook('onRequest', async (request, reply) => {
      const key = await db
        .selectFrom('api_key')
        .select('account_id')
        .where('hash', '=', keyHashOf(request.headers.authorization))
        .where('revoked_at', 'is', null)
        .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', new Date())]))
        .executeTakeFirst();
      if (key === undefined) return reply.code(401).send({ error: 'unauthorized' });
      request.accountId = key.account_id;
    });
    const find = ({ accountId }: FastifyRequest, id: string) =>
      db
        .selectFrom('website')
        .select(SELECTED)
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst();

    api.get<{ Params: Static<typeof ById> }>(
      '/:id',
      { schema: { params: ById, response: { 200: One } } },
      async (request, reply) => {
        const website = await find(request, request.params.id);
        return website === undefined ? reply.code(404).send({ error: 'not found' }) : { data: toResource(website) };
      },
    );

    api.post<{ Body: Static<typeof Fields> }>(
      '/',
      { schema: { body: Fields, response: { 201: One } } },
      async ({ accountId, body }, reply) => {
        const now = new Date();
        const website = await db
          .insertInto('website')
          .values({
            account_id: accountId,
            id: newId(),
            ...partsOf(body.url),
            privacy: PRIVACIES[body.privacy ?? 1] ?? 'private',
            email_reports: body.email === 1,
            exclude_bots: true,
            excluded_params: body.exclude_params?.split('\n') ?? [],
            excluded_ips: [],
            created_at: now,
            updated_at: now,
          })
          .returning(SELECTED)
          .executeTakeFirstOrThrow();
        return reply.code(201).send({ data: toResource(website) });
      },
    );

    api.patch<{ Params: Static<typeof ById>; Body: Static<typeof Changes> }>(
      '/:id',
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
          .returning(SELECTED)
          .executeTakeFirstOrThrow();
        return { data: toResource(website) };
      },
    );

    api.get<{ Querystring: Static<typeof List> }>(
      '/',
      { schema: { querystring: List, response: { 200: Page } } },
      async ({ accountId, query: { search, page, per_page: size } }) => {
        let websites = db.selectFrom('website').where('account_id', '=', accountId);
        if (search !== undefined) websites = websites.where(SEARCHED, 'ilike', `%${search}%`);
        const listed = websites
          .select(SELECTED)
          .orderBy('id', 'desc')
          .limit(size)
          .offset((page - 1) * size);
        const [rows, { total }] = await Promise.all([
          listed.execute(),
          websites.select(sql<string>`count(*)`.as('total')).executeTakeFirstOrThrow(),
        ]);
        return { data: rows.map(toResource), meta: { total: Number(total) } };
      },
    );
  },
  { prefix: '/api/v1/websites' },
);

app.addContentTypeParser('text/plain', { parseAs: 'string' }, app.getDefaultJsonParser('error', 'error'));
app.post<{ Body: Static<typeof Hit> }>('/hits', { schema: { body: Hit } }, async ({ body, headers, ip }, reply) => {
  const website = await db
    .selectFrom('website')
    .select(['number', 'exclude_bots'])
    .where('id', '=', body.website)
    .executeTakeFirst();
  if (website === undefined) return reply.code(404).send({ error: 'not found' });
  const agent = headers['user-agent'] ?? '';
  if (website.exclude_bots && isbot(agent)) return reply.code(202).send();

  const url = new URL(body.url);
  const referrer = body.referrer === undefined ? undefined : new URL(body.referrer);
  const { browser, os, device } = UAParser(agent);
  const time = new Date();
  const day = time.toISOString().slice(0, 10);
  const visitor = createHash('sha256').update(`${day} ${body.website} ${ip} ${agent}`).digest();
  await db
    .insertInto('hit')
    .values({
      website_number: website.number,
      visitor: visitor.readBigInt64BE().toString(),
      time,
      day,
      host: url.hostname,
      page: url.pathname,
      channel: referrer === undefined ? 'Direct' : 'Referral',
      source: url.searchParams.get('utm_source') ?? referrer?.hostname ?? null,
      referrer: referrer === undefined ? null : `${referrer.hostname}${referrer.pathname}`,
      utm_source: url.searchParams.get('utm_source'),
      utm_medium: url.searchParams.get('utm_medium'),
      utm_campaign: url.searchParams.get('utm_campaign'),
      language: headers['accept-language']?.slice(0, 2) ?? null,
      browser: browser.name ?? null,
      os: os.name ?? null,
      device: device.type ?? 'desktop',
    })
    .execute();
  return reply.code(202).send();
});

await app.listen(LISTEN);
