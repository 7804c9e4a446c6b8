import type { Client } from './client.ts';

/** Signs in on the owner's page with a key; returns the cookie. */
export function signIn(client: Client, key: string): Promise<string> {
  return cookieOf(client, '/sign-in', { key }, 'hitherto_session');
}

/** Unlocks a statistics page with its password; returns the cookie. */
export function unlock(client: Client, id: string, password: string): Promise<string> {
  return cookieOf(client, `/statistics/${id}/unlock`, { password }, 'hitherto_unlock');
}

async function cookieOf(client: Client, path: string, form: Record<string, string>, name: string): Promise<string> {
  const headers = { host: 'stats.example', origin: 'http://stats.example' };
  const response = await client.request('POST', path, { form, headers });
  const cookies = [response.headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';', 1)[0]);
  const cookie = cookies.join('; ');
  if (!cookie.startsWith(name)) throw new Error(`${response.status} without ${name}: ${response.text}`);
  return cookie;
}
