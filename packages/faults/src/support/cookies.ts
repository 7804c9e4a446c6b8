import type { ApiResponse, Client } from './client.ts';

const cookiesOf = ({ headers }: ApiResponse): string =>
  [headers['set-cookie'] ?? []]
    .flat()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ');

/** Signs in on the owner's page with a key; returns the cookie. */
export async function signIn(client: Client, key: string): Promise<string> {
  const response = await client.request('POST', '/sign-in', { form: { key }, headers: ownOrigin });
  return expectCookie(response, 'hitherto_session');
}

/** Unlocks a statistics page with its password; returns the cookie. */
export async function unlock(client: Client, id: string, password: string): Promise<string> {
  const response = await client.request('POST', `/statistics/${id}/unlock`, { form: { password }, headers: ownOrigin });
  return expectCookie(response, 'hitherto_unlock');
}

const ownOrigin = { host: 'stats.example', origin: 'http://stats.example' };

function expectCookie(response: ApiResponse, name: string): string {
  const cookie = cookiesOf(response);
  if (!cookie.startsWith(`${name}`)) throw new Error(`${response.status} without ${name}: ${response.text}`);
  return cookie;
}
