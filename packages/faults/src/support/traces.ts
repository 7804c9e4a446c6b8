import type { Random } from '@hitherto/testing/random';
import type { Open } from '@hitherto/testing/scope';
import { signIn, unlock } from './cookies.ts';
import { BROWSER } from './hit-senders.ts';
import type { OwnPostgres } from './own-postgres.ts';
import type { HitService } from './service.ts';

/** A string that must not be found anywhere, with its name for a message. */
export type Traces = Map<string, string>;

/** Visits a website in every way that names an address, a browser or a secret; returns the strings that must leave no trace. */
export async function leaveTraces(
  open: Open,
  service: Pick<HitService, 'openClient' | 'key'>,
  { id: website, password }: { readonly id: string; readonly password: string },
  visits: number,
  random: Random,
): Promise<Traces> {
  const traces: Traces = new Map();
  const anyone = await open(service.openClient(null));
  const keyed = await open(service.openClient(service.key));
  const octet = () => 100 + random.below(150);
  /** Of the networks for tests, which no default of the program names; the browser has a name of its own. */
  const visitor = () => {
    const address = `198.${18 + random.below(2)}.${octet()}.${octet()}`;
    const name = `Trace${random.word(10)}`;
    traces.set(address, 'an address');
    // As a database shows it in hexadecimal.
    traces.set(`x${Buffer.from(address.split('.').map(Number)).toString('hex')}`, 'the bytes of an address');
    traces.set(name, 'a user agent');
    return { address, agent: `${BROWSER} ${name}/1.0` };
  };
  const tokenIn = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1);
  // First, because wrong passwords slow down further ones.
  traces.set(tokenIn(await signIn(anyone, service.key)), 'a session token');
  traces.set(tokenIn(await unlock(anyone, website, password)), 'an unlock token');
  traces.set(service.key, 'a key');
  traces.set(password, 'a password');
  for (let visit = 0; visit < visits; visit += 1) {
    const { address, agent } = visitor();
    const headers = { 'x-forwarded-for': address, 'user-agent': agent };
    const page = `https://guarded.example/${visit}`;
    const text = { ...headers, 'content-type': 'text/plain' };
    const body = JSON.stringify({ website, url: page });
    await anyone.request('POST', '/hits', { headers: text, body });
    await anyone.request('POST', '/hits', { headers: text, body: body.slice(0, 20) });
    await anyone.request('GET', `/hits.gif?website=${website}&url=${encodeURIComponent(page)}`, { headers });
    await anyone.request('GET', `/statistics/${website}`, { headers });
    await anyone.request('POST', `/statistics/${website}/unlock`, { headers, form: { password: 'wrong' } });
    await anyone.request('POST', '/sign-in', { headers, form: { key: 'hto_wrong' } });
    await anyone.request('GET', '/api/v1/websites', { headers: { ...headers, authorization: 'Bearer wrong' } });
    const { address: ip, agent: user_agent } = visitor();
    const json = { website, url: page, ip, user_agent };
    await keyed.request('POST', '/api/v1/hits', { json: { hits: [json] } });
    await keyed.request('POST', `/api/v1/websites/${website}/explain`, { json: { url: page, ip, user_agent } });
  }
  return traces;
}

/** The names of the traces that a string contains, with the place. */
export function findTraces(traces: Traces, text: string, where: string): string[] {
  return [...traces].filter(([trace]) => text.includes(trace)).map(([trace, name]) => `${name} in ${where}: ${trace}`);
}

/** Every row of every table as text, by table, as in a dump. */
export async function dumpOf({ query }: Pick<OwnPostgres, 'query'>): Promise<ReadonlyMap<string, string>> {
  const tables = await query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'public' order by 1",
  );
  const dump = new Map<string, string>();
  for (const { name } of tables) {
    const rows = await query<{ line: string }>(`select (each.*)::text as line from ${name} each`);
    dump.set(name, rows.map(({ line }) => line).join('\n'));
  }
  return dump;
}
