import { randomBytes, randomUUID } from 'node:crypto';
import { createAccount, issueKey, type KeyScope, type Role } from '@hitherto/domain/access';
import { COMMAND_LINE, UNRECORDED } from '@hitherto/domain/changes';
import { SESSION_MS, startSession } from '@hitherto/domain/people';
import { newId } from '@hitherto/outside/system';
import { aWebsite } from '@hitherto/testing/fixtures';
import { aMember, anInvitation, aPerson } from '@hitherto/testing/people';
import { runs } from '@hitherto/testing/runs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveFaces } from './support/faces.ts';
import { type Route, routesOf } from './support/routes.ts';

// Who may do what, and what is the same as an unknown website, on every route of every face (people.md, "Roles"): all are in one
// of the lists below, so that a new one cannot be forgotten.

/** The routes whose path has the id of a website. */
const OF_WEBSITE = /^(?:\/api\/v1\/(?:websites|stats)|\/websites|\/statistics)\/:id(?:\/|$)/;
/** The pages of an account. */
const OF_ACCOUNT = /^\/accounts\/:id(?:\/|$)/;
/** Routes that find websites by names in the query or the body. */
const BY_NAME =
  /^\/(?:mcp|hits|hits\.gif|matomo\.php|piwik\.php|count|count\/:code|api\/(?:send|batch|event|v0\/count|v1\/(?:audit|hits|sites(?:\/goals|\/:site_id)?|stats\/(?:aggregate|breakdown|timeseries|realtime\/visitors))|v2\/query))$/;
/** Routes that name none: of the person or the account alone, of links, of the program. */
const OTHERS =
  /^\/(?:$|you|sign-|forgot$|setup\/|invitations\/|reset\/|add-yourself$|share\/|reports\/(?:unsubscribe$|confirm\/)|websites(?:\/new|\/overview\.csv)?$|webhooks|api\/v1\/(?:brand|websites|webhooks|overview)|api\/v0\/me$|assets\/|brand\/|docs|problems\/|openapi\.json$|livez$|readyz$|metrics$|js\/:file$|[\w-]+\.js$)/;

interface Actor {
  readonly name: string;
  /** Of a browser that is signed in as the person, or with the key. */
  readonly cookie: string;
  readonly key: string | undefined;
  readonly role: Role;
  readonly scope: KeyScope;
  readonly hasAll: boolean;
  readonly isPerson: boolean;
}

/** With every commit, each route is tried by a third of the viewers, and by all of them with `TESTS=full`. */
const EVERY = runs(3, 1);

const now = () => new Date('2026-11-28T12:00:00.000Z');
const GRANTS = [
  ['owner', true],
  ['editor', true],
  ['editor', false],
  ['viewer', true],
  ['viewer', false],
] as const;

let faces: Awaited<ReturnType<typeof serveFaces>>;
let routes: readonly Route[];
const actors: Actor[] = [];
const own = newId();
/** Of the same account, not in the lists. */
const hidden = newId();
const foreign = newId();
const deleted = newId();

beforeAll(async () => {
  faces = await serveFaces(now);
  await faces.app.ready();
  routes = routesOf(faces.app).filter(({ method }) => method !== 'HEAD' && method !== 'OPTIONS');
  const { repositories, accountId } = faces;
  const deps = { ...repositories, now, newId, randomBytes, author: COMMAND_LINE };
  const other = await createAccount(deps, 'other');
  for (const [id, owner] of [
    [own, accountId],
    [hidden, accountId],
    [foreign, other.id],
    [deleted, accountId],
  ] as const) {
    const website = aWebsite({ id, url: `https://${id}.example`, aliases: [`matomo:${id}`], privacy: 'private' });
    await repositories.websites.insert(owner, website, UNRECORDED);
  }
  await repositories.websites.delete(accountId, deleted, undefined, UNRECORDED);

  const browser = { browser: null, network: null };
  const addKey = async (name: string, member: Parameters<typeof issueKey>[2], role: Role, hasAll: boolean) => {
    const { text, key } = await issueKey(deps, accountId, member);
    const cookie = await startSession(deps, { keyId: key.id }, browser, SESSION_MS);
    const scope = role === 'viewer' ? 'read' : key.scope;
    actors.push({ name, cookie, key: text, role, scope, hasAll, isPerson: false });
  };
  for (const [role, hasAll] of GRANTS) {
    const [person, websiteIds] = [aPerson(), hasAll ? null : [own, deleted]];
    const invitation = anInvitation({ accountId, email: person.email });
    await repositories.people.insertInvitation(invitation, UNRECORDED);
    const member = aMember({ accountId, personId: person.id, role, websiteIds });
    await repositories.people.acceptInvitation(invitation.tokenHash, person, member, UNRECORDED);
    const cookie = await startSession(deps, { personId: person.id }, browser, SESSION_MS);
    const name = `${role} of ${hasAll ? 'all' : 'some'}`;
    actors.push({ name, cookie, key: undefined, role, scope: 'write', hasAll, isPerson: true });
    const keyRole = role === 'owner' ? 'editor' : role;
    await addKey(`key of ${name}`, { member }, keyRole, hasAll);
    await addKey(`limited key of ${name}`, { member, websiteIds: [own] }, keyRole, false);
  }
  await addKey('key of the account', {}, 'editor', true);
  await addKey('limited key of the account', { websiteIds: [own] }, 'editor', false);
  await addKey('limited read key of the account', { websiteIds: [own], scope: 'read' }, 'editor', false);
});
afterAll(() => faces.app.close());

/** Sends a request as an actor; what differs with every request is left out. */
async function ask({ cookie, key }: Actor, method: string, path: string, sent: object = {}) {
  const isApi = path.startsWith('/api/') || path === '/mcp' || path.endsWith('/destroy') || path.includes('.php');
  const {
    statusCode: status,
    headers: { 'x-request-id': _, date: __, ...headers },
    body,
  } = await faces.app.inject({
    method: method as 'GET',
    url: path,
    headers: {
      host: 'stats.example',
      ...(isApi ? { ...(key && { authorization: `Bearer ${key}` }) } : { origin: 'http://stats.example' }),
      ...(method !== 'GET' && { 'content-type': contentTypeOf(isApi, path) }),
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
    },
    ...(isApi ? {} : { cookies: { hitherto_session: cookie } }),
    ...(method === 'GET' || method === 'DELETE'
      ? {}
      : { payload: hasFile(path) ? '--x--\r\n' : isApi ? JSON.stringify(sent) : '' }),
  });
  return { status, headers, body: body.replaceAll(/[Rr]equest(?:_id"?:| )\s*"?[\w-]{36}/g, '') };
}

const hasFile = (path: string) => /\/(?:imports|coverage|brand)$/.test(path);

function contentTypeOf(isApi: boolean, path: string): string {
  if (hasFile(path)) return isApi ? 'text/csv' : 'multipart/form-data; boundary=x';
  return isApi ? 'application/json' : 'application/x-www-form-urlencoded';
}

const isOfApi = ({ path }: Route) => path.startsWith('/api/') || path.endsWith('/destroy');

/** The path with the id of a website; the other parameters name nothing. */
function pathTo({ path }: Route, id: string, rest: string): string {
  return path
    .replace(':id', id)
    .replace(':dimension', 'page')
    .replace(':list', 'page')
    .replace(/:\w+/g, rest)
    .replace(/by\/property$/, 'by/property?event=Signup&property=plan');
}

const isRead = ({ method, path }: Route) => method === 'GET' || /\/(?:unlock|explain|check|preview)$/.test(path);

/** The table of people.md, once more and naively. */
function mayAsk({ role, scope, hasAll, isPerson }: Actor, route: Route): boolean {
  const { method, path } = route;
  const writes = !isRead(route);
  const rest = path.replace(OF_WEBSITE, '').replace(/\/:.*$/, '');
  if (writes && scope === 'read' && !path.startsWith('/statistics/')) return false;
  if (path.startsWith('/statistics/')) return true;
  if (path.endsWith('/move')) return isPerson && role === 'owner';
  const isWhole = (isOfApi(route) && method === 'DELETE' && ['', 'destroy'].includes(rest)) || rest === 'delete';
  if (isWhole && path.split('/:').length === 2) return role !== 'viewer' && hasAll;
  if (role !== 'viewer') return true;
  if (isOfApi(route))
    return (
      !writes &&
      !/^(?:links|recipients|alerts|imports|coverage|explain|findings|cleanups|page-rules|settings)(?:$|\/)/.test(rest)
    );
  return rest === 'dropped';
}

/** What would change the world of the other cases. */
const isDestructive = ({ method, path }: Route) =>
  (method === 'DELETE' && /:id(?:\/destroy)?$/.test(path)) || (method === 'POST' && /:id\/move$/.test(path));

test('every route is in one list', () => {
  const lists = [OF_WEBSITE, OF_ACCOUNT, BY_NAME, OTHERS];
  const unlisted = routes.filter(({ path }) => lists.filter((list) => list.test(path)).length === 0);
  expect(unlisted).toEqual([]);
  expect(routes.filter(({ path }) => OF_WEBSITE.test(path)).length).toBeGreaterThan(110);
});

test('every route of a website, for every viewer: own, hidden, foreign, deleted and unknown', async () => {
  let requests = 0;
  const wrong: unknown[] = [];
  const ofWebsites = routes.filter(({ path }) => OF_WEBSITE.test(path));
  for (const [place, route] of ofWebsites.entries()) {
    const rest = randomUUID();
    for (const [number, actor] of actors.entries()) {
      if ((place + number) % EVERY !== 0 || (actor.key === undefined && isOfApi(route))) continue;
      const askFor = async (id: string) => {
        requests += 1;
        const answer = await ask(actor, route.method, pathTo(route, id, rest));
        return {
          ...answer,
          body: answer.body.replaceAll(id, 'ID'),
          headers: textOf(answer.headers).replaceAll(id, 'ID'),
        };
      };
      const unknown = await askFor(randomUUID());
      const about = [actor.name, route.method, route.path];
      for (const id of actor.hasAll ? [foreign, deleted] : [hidden, foreign, deleted]) {
        const answer = await askFor(id);
        if (textOf(answer) !== textOf(unknown)) wrong.push([...about, 'is not as unknown', answer, unknown]);
      }
      const isBeyondScope = actor.scope === 'read' && !isRead(route);
      if (unknown.status < 300 || (unknown.status === 403 && !isBeyondScope))
        wrong.push([...about, 'unknown', unknown.status]);
      if (isDestructive(route) && mayAsk(actor, route)) continue;
      const { status } = await askFor(own);
      if ((status === 403) === mayAsk(actor, route)) wrong.push([...about, 'own', status, mayAsk(actor, route)]);
    }
  }
  console.log(`Rights: ${actors.length} viewers, ${requests} requests to routes of websites.`);
  expect(wrong.slice(0, 20)).toEqual([]);
}, 300_000);

test('every page of an account, for every viewer: own, foreign and unknown', async () => {
  const wrong: unknown[] = [];
  const { accountId, repositories } = faces;
  const other = (await repositories.access.findAccount('other'))?.id ?? '';
  for (const route of routes.filter(({ path }) => OF_ACCOUNT.test(path))) {
    for (const actor of actors) {
      const rest = randomUUID();
      const askFor = async (id: string) => {
        const answer = await ask(actor, route.method, pathTo(route, id, rest));
        return { ...answer, body: answer.body.replaceAll(id, 'ID') };
      };
      const unknown = await askFor(randomUUID());
      if (textOf(await askFor(other)) !== textOf(unknown)) wrong.push([actor.name, route, 'is not as unknown']);
      if (unknown.status !== 404) wrong.push([actor.name, route, unknown.status]);
      const { status } = await askFor(accountId);
      const isAllowed = route.path.includes('/webhooks')
        ? actor.role !== 'viewer' && actor.hasAll && (route.method === 'GET' || actor.scope === 'write')
        : actor.isPerson && actor.role === 'owner';
      if ((status === 403) === isAllowed) wrong.push([actor.name, route, status]);
    }
  }
  expect(wrong.slice(0, 20)).toEqual([]);
});

/** Requests that name a website in their query or body. */
const NAMING: readonly (readonly [method: string, path: string, body?: (name: string) => object])[] = [
  ['GET', '/api/v1/sites/NAME'],
  ['GET', '/api/v1/sites/goals?site_id=NAME'],
  ['GET', '/api/v1/stats/aggregate?site_id=NAME&period=day'],
  ['GET', '/api/v1/stats/timeseries?site_id=NAME&period=day'],
  ['GET', '/api/v1/stats/breakdown?site_id=NAME&property=visit:source'],
  ['GET', '/api/v1/stats/realtime/visitors?site_id=NAME'],
  ['POST', '/api/v2/query', (name) => ({ site_id: name, metrics: ['visitors'], date_range: 'day' })],
  ['GET', '/api/v1/audit?website=NAME'],
  [
    'POST',
    '/api/v1/hits',
    (website) => ({ hits: [{ website, url: 'https://x.example/', ip: '203.0.113.7', user_agent: 'x', time: now() }] }),
  ],
  ['POST', '/api/send', (website) => ({ type: 'event', payload: { website, url: '/', ip: '203.0.113.7' } })],
  ['POST', '/api/batch', (website) => [{ type: 'event', payload: { website, url: '/', ip: '203.0.113.7' } }]],
  ['GET', '/matomo.php?rec=1&url=https://x.example/&token_auth=KEY&idsite=NAME'],
  ...['query_statistics', 'dropped_hits', 'explain_hit'].map(
    (tool) =>
      [
        'POST',
        '/mcp',
        (website: string) => ({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: tool, arguments: { website, ...(tool === 'explain_hit' && EXPLAINED) } },
        }),
      ] as const,
  ),
];
const EXPLAINED = { url: 'https://x.example/', ip: '203.0.113.7' };

test('a website that is named elsewhere, for every key: hidden, foreign and deleted are as unknown', async () => {
  let requests = 0;
  const wrong: unknown[] = [];
  for (const [method, path, body] of NAMING) {
    for (const actor of actors.filter(({ key }) => key !== undefined)) {
      const askFor = async (name: string) => {
        requests += 1;
        const url = path.replace('NAME', name).replace('KEY', actor.key ?? '');
        const { status, headers, body: text } = await ask(actor, method, url, body?.(name));
        return textOf([status, headers, text]).replaceAll(name, 'NAME');
      };
      for (const nameOf of [(id: string) => id, (id: string) => `${id}.example`]) {
        const unknown = await askFor(nameOf(randomUUID()));
        for (const id of actor.hasAll ? [foreign, deleted] : [hidden, foreign, deleted]) {
          const answer = await askFor(nameOf(id));
          // The trail keeps the changes of a website that is gone.
          if (answer !== unknown) wrong.push([actor.name, method, path, answer, unknown]);
        }
      }
    }
  }
  console.log(`Rights: ${requests} requests that name a website.`);
  expect(wrong.slice(0, 20)).toEqual([]);
}, 120_000);

test('lists, totals and searches of every viewer have what they reach', async () => {
  for (const actor of actors) {
    const pages = await ask(actor, 'GET', '/');
    const api = actor.key === undefined ? undefined : await ask(actor, 'GET', '/api/v1/websites?per_page=100');
    const found = actor.key === undefined ? undefined : await ask(actor, 'GET', `/api/v1/websites?search=${hidden}`);
    expect([actor.name, pages.body.includes(own), pages.body.includes(hidden)]).toEqual([
      actor.name,
      true,
      actor.hasAll,
    ]);
    for (const { body } of [pages, ...(api === undefined ? [] : [api])]) {
      for (const id of [foreign, deleted]) expect([actor.name, body.includes(id)]).toEqual([actor.name, false]);
    }
    if (api === undefined || found === undefined) continue;
    const { data, meta } = JSON.parse(api.body);
    expect([actor.name, meta.total, JSON.parse(found.body).meta.total]).toEqual([
      actor.name,
      actor.hasAll ? 2 : 1,
      actor.hasAll ? 1 : 0,
    ]);
    const fields = Object.keys(data[0]);
    const few = ['id', 'url', 'time_zone', 'created_at', 'updated_at'];
    if (actor.role === 'viewer') expect(fields).toEqual(few);
    else expect(fields.length).toBeGreaterThan(few.length);
  }
});

function textOf(value: unknown): string {
  return JSON.stringify(value);
}
