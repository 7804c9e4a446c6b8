// Collecting hits with Fastify and Kysely as usually written: each hit looks up its website, asks isbot, reads the names of
// browser and system from the user agent, and inserts one row into the table that Hitherto uses, in a transaction of its own.
// No settings per website, visits, logs, metrics or limits, and no country.
import { createHash } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import Fastify from 'fastify';
import { isbot } from 'isbot';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { UAParser } from 'ua-parser-js';
import { POOL_SIZE, settings } from './setup.ts';

interface Tables {
  website: { id: string; number: string; address: string; exclude_bots: boolean };
  hit: {
    website_number: string;
    visitor: string;
    time: Date;
    day: string;
    host: string;
    page: string;
    channel: string;
    source: string | null;
    referrer: string | null;
    utm_source: string | null;
    utm_medium: string | null;
    utm_campaign: string | null;
    language: string | null;
    browser: string | null;
    os: string | null;
    device: string;
  };
}

const Hit = Type.Object({
  website: Type.String({ format: 'uuid' }),
  url: Type.String({ maxLength: 4_096 }),
  referrer: Type.Optional(Type.String()),
});

const { databaseUrl, port } = settings();
const db = new Kysely<Tables>({
  dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl, max: POOL_SIZE }) }),
});
const app = Fastify({ trustProxy: true });

app.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, body, done) => {
  try {
    done(null, JSON.parse(String(body)));
  } catch {
    done(Object.assign(new Error('The body must be JSON.'), { statusCode: 400 }));
  }
});

app.post<{ Body: Static<typeof Hit> }>('/hits', { schema: { body: Hit } }, async (request, reply) => {
  const website = await db
    .selectFrom('website')
    .select(['number', 'address', 'exclude_bots'])
    .where('id', '=', request.body.website)
    .executeTakeFirst();
  if (website === undefined) return reply.code(404).send({ error: 'not found' });
  const agent = request.headers['user-agent'] ?? '';
  if (website.exclude_bots && isbot(agent)) return reply.code(202).send();

  const url = new URL(request.body.url);
  const referrer = request.body.referrer === undefined ? undefined : new URL(request.body.referrer);
  const { browser, os, device } = UAParser(agent);
  const time = new Date();
  const day = time.toISOString().slice(0, 10);
  const visitor = createHash('sha256').update(`${day} ${request.body.website} ${request.ip} ${agent}`).digest();
  const label = (name: string) => url.searchParams.get(name);
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
      source: label('utm_source') ?? referrer?.hostname ?? null,
      referrer: referrer === undefined ? null : `${referrer.hostname}${referrer.pathname}`,
      utm_source: label('utm_source'),
      utm_medium: label('utm_medium'),
      utm_campaign: label('utm_campaign'),
      language: request.headers['accept-language']?.slice(0, 2) ?? null,
      browser: browser.name ?? null,
      os: os.name ?? null,
      device: device.type ?? 'desktop',
    })
    .execute();
  return reply.code(202).send();
});

await app.listen({ port, host: '127.0.0.1' });
process.on('SIGTERM', () => process.exit());
